import { Button } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { ArchiveRestore, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { dayMs } from '#contracts/time';
import type { DeletedPost } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions, useZone } from '#web/base/session.ts';
import { formatDateTime, formatSaid, now } from '#web/base/time.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { focusAfter, ListRow, useListKeys } from '#web/parts/list.tsx';
import { NetworkBadges } from '#web/parts/network-badge.tsx';
import { count } from '#web/parts/number.ts';
import { showRestored } from '#web/parts/post-actions.ts';
import { PostTitle, quoteHeading, titleOf } from '#web/parts/post-title.tsx';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { StateIcon } from '#web/parts/state-chip.tsx';
import { Thumbnail } from '#web/parts/thumbnail.tsx';
import { showFault, showToast } from '#web/parts/toasts.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import styles from './posts.module.css';

export const Bin = () => {
  const { canWrite } = usePermissions();
  if (canWrite) return <DeletedPosts />;
  return (
    <EmptyState icon={Trash2} title="The bin is for people who write">
      Deleted posts are seen and restored by owners, admins and editors. You are a viewer here.
    </EmptyState>
  );
};

/** Deleted posts that can be restored. */
const DeletedPosts = () => {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: keys.bin,
    queryFn: ({ pageParam, signal }) => app.listBin(pageParam === undefined ? {} : { cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const { canManage } = usePermissions();
  const client = useQueryClient();
  const area = useRef<HTMLUListElement>(null);
  const [ending, setEnding] = useState<DeletedPost>();
  const [isEmptying, setIsEmptying] = useState(false);
  const restore = useRestore(area);
  useListKeys(area);
  const fault = error && (
    <div className={styles.fault}>
      <FaultBanner fault={error} title="The bin could not be loaded" onRetry={() => void refetch()} />
    </div>
  );
  if (data === undefined) return fault ?? <SkeletonRows rows={6} label="Loading the bin" />;
  const posts = data.pages.flatMap((page) => page.posts as readonly DeletedPost[]);
  const total = data.pages[0]?.total ?? 0;
  const refresh = () => client.invalidateQueries({ queryKey: ['posts'] });
  if (posts.length === 0) {
    return (
      <EmptyState icon={Trash2} title="The bin is empty">
        Deleted posts stay here for 30 days. Until then you can restore them.
      </EmptyState>
    );
  }
  return (
    <>
      {fault}
      <div className={styles.binIntro}>
        <p>{count(total, 'deleted post')}. Each stays here for 30 days and returns as a draft.</p>
        {canManage && (
          <Button size="xs" variant="danger" onClick={() => setIsEmptying(true)}>
            Empty the bin
          </Button>
        )}
      </div>
      <ul ref={area} className={styles.list} aria-label="Deleted posts">
        {posts.map((post) => (
          <BinRow key={post.id} post={post} onRestore={restore} onEnd={setEnding} />
        ))}
      </ul>
      {hasNextPage && (
        <div className={styles.more}>
          <Button size="xs" variant="quiet" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
      <ConfirmDialog
        opened={ending !== undefined}
        onClose={() => setEnding(undefined)}
        title="Delete this post for good?"
        act="Delete for good"
        kind="danger"
        onConfirm={async () => {
          if (ending === undefined) return;
          await app.deleteForGood({ id: ending.id });
          focusAfter(area.current, ending.id);
          await refresh();
        }}
      >
        {ending && <p dir="auto">{quoteHeading(ending.text)}</p>}
        <p>It cannot be brought back.</p>
      </ConfirmDialog>
      <ConfirmDialog
        opened={isEmptying}
        onClose={() => setIsEmptying(false)}
        title="Empty the bin?"
        act="Empty the bin"
        kind="danger"
        onConfirm={async () => {
          await app.emptyBin();
          await refresh();
        }}
      >
        <p>{count(total, 'post')} cannot be brought back then.</p>
      </ConfirmDialog>
    </>
  );
};

const useRestore = (area: React.RefObject<HTMLElement | null>) => {
  const client = useQueryClient();
  return async (post: DeletedPost) => {
    try {
      const { leftOut, lostFiles } = await app.restorePost({ id: post.id });
      focusAfter(area.current, post.id);
      showRestored([post.id]);
      const stays =
        leftOut.length === 0
          ? ''
          : ` It leaves out ${count(leftOut.length, 'account')} where it is, or may be, already.`;
      const lost =
        lostFiles === 0 ? '' : ` ${count(lostFiles, 'file')} of it no longer exist${lostFiles === 1 ? 's' : ''}.`;
      showToast({
        text: `Restored as a draft.${stays}${lost}`,
        icon: ArchiveRestore,
        action: { label: 'Open', link: { to: '/posts/$id', params: { id: post.id } } },
      });
    } catch (error) {
      showFault(error);
    }
    await client.invalidateQueries({ queryKey: ['posts'] });
  };
};

const BinRow = ({
  post,
  onRestore,
  onEnd,
}: {
  post: DeletedPost;
  onRestore: (post: DeletedPost) => Promise<void>;
  onEnd: (post: DeletedPost) => void;
}) => {
  const { networksOf } = useAccounts();
  const zone = useZone();
  const isPhone = useIsPhone();
  const [isRestoring, setIsRestoring] = useState(false);
  const days = Math.max(1, Math.ceil((Date.parse(post.goneAt) - now().getTime()) / dayMs));
  const title = titleOf(post.text) || 'the empty draft';
  const left = (
    <span className={`number ${styles.daysLeft}`} title={formatDateTime(post.goneAt, zone)}>
      {count(days, 'day')} left
    </span>
  );
  const reached = post.reachedAccountIds.length;
  const out = reached > 0 && ` · Stays on ${count(reached, 'account')} that ${reached === 1 ? 'has' : 'have'} it`;
  const actions = (
    <span className={styles.binActions}>
      <Button
        size="xs"
        loading={isRestoring}
        aria-label={`Restore ${title}`}
        data-row-link=""
        onClick={async () => {
          setIsRestoring(true);
          await onRestore(post);
          setIsRestoring(false);
        }}
      >
        Restore
      </Button>
      {post.mayDelete && (
        <Button size="xs" variant="danger" aria-label={`Delete for good: ${title}`} onClick={() => onEnd(post)}>
          Delete for good
        </Button>
      )}
    </span>
  );
  return (
    <ListRow
      id={post.id}
      lead={<StateIcon state={post.status} />}
      title={<PostTitle text={post.text} />}
      note={
        <>
          Deleted {formatSaid(post.deletedAt, zone)}
          {post.deletedBy && (
            <>
              {' '}
              by <bdi>{post.deletedBy.name}</bdi>
            </>
          )}
          {isPhone && <> · {left}</>}
          {out}
          {isPhone && actions}
        </>
      }
      side={
        !isPhone && (
          <>
            {post.thumbnail && <Thumbnail {...post.thumbnail} />}
            <NetworkBadges networks={networksOf(post.accountIds)} max={4} />
            {left}
          </>
        )
      }
      menu={!isPhone && actions}
    />
  );
};
