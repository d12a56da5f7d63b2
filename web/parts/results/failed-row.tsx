import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Post } from '#generated/app-client';
import { usePermissions } from '#web/base/session.ts';
import { useActLabel } from '#web/parts/approval-requests.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { MainButton } from '#web/parts/main-button.tsx';
import styles from './answers.module.css';
import { ReconnectButton } from './reconnect.tsx';
import { ResultRow } from './result-row.tsx';
import type { Target } from './target.ts';
import { useAnswers } from './use-answers.ts';

/** Error codes that only an edit can fix. */
const editCodes = ['content_refused', 'media_refused', 'invalid', 'disconnected'];

interface Props {
  target: Target;
  post: Post;
}

export const FailedRow = ({ target, post }: Props) => (
  <ResultRow target={target} line={reasonOf(target)}>
    <FailedAnswers target={target} post={post} />
  </ResultRow>
);

/** What can be done about a failure. */
export const FailedAnswers = ({ target, post: { id: postId, status } }: Props) => {
  const { canWrite } = usePermissions();
  const label = useActLabel();
  const { account, provider, accountId, result } = target;
  const answers = useAnswers(postId, accountId);
  const code = result?.error?.code ?? '';
  const needsReconnect = account?.status === 'NeedsReconnect';
  const offersReconnect = needsReconnect || code === 'permission';
  const blockReason = needsReconnect
    ? 'after reconnecting, to this account only'
    : account === undefined
      ? 'this account is disconnected'
      : status === 'Publishing'
        ? 'when the other accounts are done'
        : undefined;
  return (
    <>
      {result?.note && <p className="small text-2">{result.note}</p>}
      {canWrite ? (
        <div className={styles.buttons}>
          {offersReconnect && account && <ReconnectButton account={account} provider={provider} />}
          {editCodes.includes(code) && (
            <Button
              variant="ink"
              size="xs"
              renderRoot={(props) => <Link to="/posts/$id" params={{ id: postId }} search={{ edit: '1' }} {...props} />}
            >
              Edit the post
            </Button>
          )}
          <MainButton
            size="xs"
            variant={blockReason ? 'default' : 'send'}
            reason={blockReason}
            loading={answers.isPending}
            onClick={() => answers.mutate('again')}
          >
            {label('Send again')}
          </MainButton>
          {!blockReason && <span className="small text-2">to this account only</span>}
        </div>
      ) : (
        <p className="small text-2">An owner, admin or editor can send it again.</p>
      )}
      {answers.error && <FaultBanner title="It was not sent" fault={answers.error} />}
      {result?.error?.networkCode && (
        <details className="small text-2">
          <summary>Details</summary>
          {provider} calls it <code>{result.error.networkCode}</code>.
        </details>
      )}
    </>
  );
};

/** The server's message; shorter for a refused sign-in, which has a button. */
export const reasonOf = ({ account, provider, result }: Target) => {
  const { code, message = 'It did not work.' } = result?.error ?? {};
  if (code !== 'reconnect' || account === undefined) return message;
  return account.status === 'NeedsReconnect'
    ? `${provider} refused the sign-in. Reconnect, then send again.`
    : `${provider} refused the sign-in. It is connected again now.`;
};
