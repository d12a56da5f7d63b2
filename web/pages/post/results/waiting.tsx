import { Button } from '@mantine/core';
import { FaultBanner } from '#web/parts/fault.tsx';
import { When } from '#web/parts/when.tsx';
import { useMay } from '#web/session.ts';
import styles from './answers.module.css';
import { Row } from './row.tsx';
import { useAnswers } from './use-answers.ts';
import type { Target } from './use-results.ts';

/** Its network has named a time; until then a person can give it up. */
export const Waiting = ({
  target,
  wait,
  postId,
}: {
  target: Target;
  wait: NonNullable<Target['wait']>;
  postId: string;
}) => {
  const may = useMay();
  const answers = useAnswers(postId, target.accountId);
  return (
    <Row
      target={target}
      line={
        <>
          Waits for {target.provider}, until <When at={wait.until} form="full" />
        </>
      }
    >
      <div className={styles.box}>
        <p>{wait.message} It goes out by itself then.</p>
        {may.write && (
          <div className={styles.buttons}>
            <Button size="xs" loading={answers.isPending} onClick={() => answers.mutate('give up')}>
              Give it up
            </Button>
          </div>
        )}
      </div>
      {answers.error && <FaultBanner title="It was not given up" fault={answers.error} />}
    </Row>
  );
};
