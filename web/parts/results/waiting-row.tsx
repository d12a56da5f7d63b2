import { Button } from '@mantine/core';
import { usePermissions } from '#web/base/session.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { When } from '#web/parts/when.tsx';
import styles from './answers.module.css';
import { ResultRow } from './result-row.tsx';
import type { Target } from './target.ts';
import { useAnswers } from './use-answers.ts';

/** The send waits until a time that the network named; meanwhile, a person can give it up. */
export const WaitingRow = (props: Props) => (
  <ResultRow
    target={props.target}
    line={
      <>
        Waits for {props.target.provider}, until <When at={props.wait.until} form="full" />
      </>
    }
  >
    <WaitAnswers {...props} />
  </ResultRow>
);

interface Props {
  target: Target;
  wait: NonNullable<Target['wait']>;
  postId: string;
}

export const WaitAnswers = ({ target, wait, postId }: Props) => {
  const { canWrite } = usePermissions();
  const answers = useAnswers(postId, target.accountId);
  return (
    <>
      <div className={styles.box}>
        <p>{wait.message} It goes out by itself then.</p>
        {canWrite && (
          <div className={styles.buttons}>
            <Button size="xs" loading={answers.isPending} onClick={() => answers.mutate('give up')}>
              Give it up
            </Button>
          </div>
        )}
      </div>
      {answers.error && <FaultBanner title="It was not given up" fault={answers.error} />}
    </>
  );
};
