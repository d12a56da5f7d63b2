import { Button } from '@mantine/core';
import { ExternalLink } from 'lucide-react';
import type { Post } from '#generated/app-client';
import { handleOf } from '#web/base/networks.ts';
import { usePermissions } from '#web/base/session.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import styles from './answers.module.css';
import { ResultRow } from './result-row.tsx';
import { webAddress } from './summary-of.ts';
import type { Target } from './target.ts';
import { useAnswers } from './use-answers.ts';

/** The network may have the post; a person has to check. */
export const UncertainRow = ({ target, post }: Props) => (
  <ResultRow target={target} line={`${target.provider} may have the post, but did not confirm it.`}>
    <UncertainAnswers target={target} post={post} />
  </ResultRow>
);

interface Props {
  target: Target;
  post: Post;
}

export const UncertainAnswers = ({ target, post: { id: postId, status } }: Props) => {
  const { canWrite, canOnlyAsk } = usePermissions();
  const { account, accountId, result } = target;
  const answers = useAnswers(postId, accountId);
  const isRunning = (answer: typeof answers.variables) => answers.isPending && answers.variables === answer;
  const url = webAddress(result?.url);
  const where = account ? handleOf(account) : 'the account';
  return (
    <>
      <div className={styles.box}>
        <p>
          {result?.error?.message} Please look at{' '}
          {url ? (
            <a href={url} target="_blank" rel="noreferrer">
              {where} <ExternalLink size={12} aria-label="(opens a new tab)" />
            </a>
          ) : (
            <b>{where}</b>
          )}{' '}
          and say what you see.
        </p>
        {result?.note && <p>{result.note}</p>}
        {status === 'Publishing' ? (
          <span className="small text-2">You can answer when the other accounts are done.</span>
        ) : canWrite ? (
          <div className={styles.buttons}>
            <Button
              size="xs"
              loading={isRunning('there')}
              disabled={answers.isPending}
              onClick={() => answers.mutate('there')}
            >
              It is there
            </Button>
            <Button
              size="xs"
              variant="send"
              loading={isRunning('not there')}
              disabled={answers.isPending}
              onClick={() => answers.mutate('not there')}
            >
              {canOnlyAsk ? 'It is not there, ask to send it' : 'It is not there, send it'}
            </Button>
          </div>
        ) : (
          <span className="small text-2">An owner, admin or editor can answer.</span>
        )}
      </div>
      {answers.error && <FaultBanner title="Your answer was not saved" fault={answers.error} />}
    </>
  );
};
