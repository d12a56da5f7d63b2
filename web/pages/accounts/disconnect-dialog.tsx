import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Account } from '#generated/app-client';
import { actions, app } from '#web/base/api.ts';
import { handleOf } from '#web/base/networks.ts';
import { keys } from '#web/base/queries.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { showToast } from '#web/parts/toasts.tsx';
import { When } from '#web/parts/when.tsx';
import styles from './accounts.module.css';

const maxListed = 6;

export const DisconnectDialog = ({ account, onClose }: { account: Account | undefined; onClose: () => void }) => {
  const client = useQueryClient();
  const disconnect = async () => {
    if (!account) return;
    await actions.accounts.delete({ id: account.id });
    await client.invalidateQueries({ queryKey: keys.accounts });
    showToast({ text: `${handleOf(account)} on ${account.provider} is disconnected.` });
  };
  return (
    <ConfirmDialog
      opened={account !== undefined}
      onClose={onClose}
      title={account ? `Disconnect ${handleOf(account)}?` : ''}
      act="Disconnect"
      kind="danger"
      onConfirm={disconnect}
    >
      {account && (
        <>
          <p>
            Posthorn forgets its access to {handleOf(account)} on {account.provider}. What is published there stays.
          </p>
          <FailingPosts account={account} />
        </>
      )}
    </ConfirmDialog>
  );
};

const FailingPosts = ({ account: { id, provider } }: { account: Account }) => {
  const { data, error, refetch } = useQuery({
    queryKey: keys.willFail(id),
    queryFn: ({ signal }) => app.searchPosts({ group: 'Scheduled', accountIds: id }, { signal }),
    staleTime: 0,
  });
  if (error) {
    const title = 'The scheduled posts could not be looked up';
    return <FaultBanner fault={error} title={title} onRetry={() => void refetch()} />;
  }
  if (!data) return <p className="text-3">Looking for scheduled posts…</p>;
  const { posts, nextCursor } = data;
  if (posts.length === 0) return <p>No scheduled post uses it.</p>;
  const more = posts.length - maxListed;
  return (
    <>
      <p style={{ marginTop: 12 }}>
        <strong>
          {posts.length === 1 ? '1 scheduled post' : `${posts.length}${nextCursor ? '+' : ''} scheduled posts`} will
          fail on {provider}:
        </strong>
      </p>
      <ul className={styles.failing}>
        {posts.slice(0, maxListed).map((post) => (
          <li key={post.id} className="divided">
            <span className="one-line" dir="auto">
              {post.text || <em>Empty</em>}
            </span>
            {post.scheduledAt && <When at={post.scheduledAt} />}
          </li>
        ))}
        {more > 0 && (
          <li className="text-3">
            and {more}
            {nextCursor ? ' or more' : ''} {more === 1 && !nextCursor ? 'other' : 'others'}
          </li>
        )}
      </ul>
    </>
  );
};
