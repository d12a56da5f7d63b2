import { Button } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { ArrowUp } from 'lucide-react';
import { lazy, Suspense, startTransition, useEffect, useMemo, useRef, useState } from 'react';
import type { PostSummary, SelectedPost } from '#generated/app-client';
import { usePermissions, useZone } from '#web/base/session.ts';
import { dateIn } from '#web/base/time.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { KeyHint } from '#web/parts/kbd.tsx';
import { focusAfter, GroupHead, useListKeys } from '#web/parts/list.tsx';
import { useDeleted, useDeletePosts, useDuplicate } from '#web/parts/post-actions.ts';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { showToast } from '#web/parts/toasts.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { useLabelPosts } from '#web/parts/use-labels.ts';
import { useNow } from '#web/parts/use-now.ts';
import { useOpenApprovals } from '#web/parts/use-open-approvals.ts';
import { BulkBar } from './bulk-bar.tsx';
import { BulkFailures } from './bulk-failures.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { NoPosts } from './no-posts.tsx';
import { isDeletable, PostRow, type RowActions } from './post-row.tsx';
import styles from './posts.module.css';
import { type Filter, type Group, type GroupName, type Status, useCounts, useGroups } from './use-groups.ts';
import { useSelection, useTouchSelection } from './use-selection.ts';
import { useSteadyRows } from './use-steady-rows.ts';

const LabelsDialog = lazy(() => import('#web/parts/labels-dialog.tsx'));

export const PostList = ({
  status,
  filter,
  onClear,
}: {
  status: Status | undefined;
  filter: Filter;
  onClear: () => void;
}) => {
  const groups = useGroups(status, filter);
  const most = useMostRows();
  const counts = useCounts(filter);
  const { rows, waiting, showWaiting, admit } = useSteadyRows(groups, 'list');
  const deleted = useDeleted();
  const area = useRef<HTMLDivElement>(null);
  const { canWrite } = usePermissions();
  const [menuOf, setMenuOf] = useState<string>();
  const [confirming, setConfirming] = useState<readonly SelectedPost[]>([]);
  const [labelling, setLabelling] = useFormDraft<readonly SelectedPost[]>('posts to label', []);
  const shown = rows.map(({ group, posts }) => ({ group, posts: posts.filter(({ id }) => !deleted.has(id)) }));
  const all = shown.flatMap(({ posts }) => posts);
  const selection = useSelection(all, status, filter);
  const touch = useTouchSelection(selection, canWrite);
  const acts = { area, admit, setMenuOf, setConfirming, setLabelling, select: selection.toggle };
  const { actions, duplicate, remove } = useActs(acts);

  useListKeys(area, (key, id, isShift) => {
    const post = all.find((one) => one.id === id);
    if (post === undefined || !canWrite) return;
    if (key === 'x') selection.toggle(id, isShift);
    if (key === 'd') actions.duplicate(post);
    if (key === 'Backspace') actions.remove(post);
  });

  const failed = groups.filter(({ error }) => error !== null);
  const retry = () => {
    for (const group of failed) void group.refetch();
  };
  const banner = failed[0] && (
    <div className={styles.fault}>
      <FaultBanner fault={failed[0].error} title="The list could not be loaded" onRetry={retry} />
    </div>
  );
  if (failed.some(({ posts }) => posts === undefined)) return banner;
  if (groups.some(({ isPending }) => isPending)) return <SkeletonRows rows={10} label="Loading posts" />;
  if (all.length === 0 && waiting === 0) return <NoPosts status={status} filter={filter} onClear={onClear} />;
  const total = totalOf(status, counts);
  return (
    <>
      {banner}
      {waiting > 0 && (
        <div className={styles.new}>
          <Button size="xs" radius="xl" leftSection={<ArrowUp size={14} aria-hidden="true" />} onClick={showWaiting}>
            {waiting} new
          </Button>
        </div>
      )}
      {canWrite && !selection.isActive && (
        <div className={`phone-only ${styles.begin}`}>
          <Button size="xs" variant="quiet" onClick={selection.begin}>
            Select
          </Button>
        </div>
      )}
      <div ref={area} className={styles.list} data-selecting={selection.isActive || undefined} {...touch}>
        {shown.map(({ group, posts }) => (
          <Rows
            key={group.name}
            group={group}
            posts={posts}
            most={most}
            count={countOf(group.name, status, counts)}
            isSelected={selection.has}
            menuOf={menuOf}
            actions={actions}
          />
        ))}
      </div>
      <p className={`desk-only kbd-hint ${styles.keys}`}>
        <KeyHint keys="J K">move</KeyHint>
        <KeyHint keys="↵">open</KeyHint>
        {canWrite && (
          <>
            <KeyHint keys="X">select</KeyHint>
            <KeyHint keys="D">duplicate</KeyHint>
            <KeyHint keys="⌫">delete</KeyHint>
          </>
        )}
      </p>
      {selection.isActive && (
        <BulkBar
          selection={selection}
          total={total}
          onDuplicate={duplicate}
          onLabel={setLabelling}
          onDelete={(posts) => remove(posts, selection.clear)}
        />
      )}
      <Labelling posts={currentOf(labelling, all)} onClose={() => setLabelling([])} />
      <DeleteDialog posts={confirming} area={area} onDeleted={selection.clear} onClose={() => setConfirming([])} />
      <BulkFailures />
    </>
  );
};

/** Rows of a group that fill a screen. */
const firstRows = 20;

/** The first screen of rows shows before the rest is rendered. */
const useMostRows = () => {
  const [most, setMost] = useState(firstRows);
  useEffect(() => startTransition(() => setMost(Number.POSITIVE_INFINITY)), []);
  return most;
};

const useActs = ({
  area,
  admit,
  setMenuOf,
  setConfirming,
  setLabelling,
  select,
}: {
  area: React.RefObject<HTMLElement | null>;
  admit: (ids: readonly string[]) => void;
  setMenuOf: (id: string | undefined) => void;
  setConfirming: (posts: readonly SelectedPost[]) => void;
  setLabelling: (posts: readonly SelectedPost[]) => void;
  select: (id: string, isRange: boolean) => void;
}) => {
  const navigate = useNavigate();
  const duplicateAll = useDuplicate();
  const deletePosts = useDeletePosts();
  const latest = useRef(admit);
  latest.current = admit;
  return useMemo(() => {
    const duplicate = async (posts: readonly SelectedPost[]) =>
      latest.current(await duplicateAll(posts.map(({ id }) => id)));
    /** Deletes drafts at once. Scheduled and partly sent posts need a confirmation. */
    const remove = (posts: readonly SelectedPost[], onDeleted?: () => void) => {
      const deletable = posts.filter(isDeletable);
      const [first] = deletable;
      if (first === undefined) {
        showToast({ text: 'A post that went out stays in the list. Delete it on the network.' });
      } else if (deletable.every(({ status }) => status === 'Draft')) {
        focusAfter(area.current, first.id);
        deletePosts(deletable);
        onDeleted?.();
      } else {
        setConfirming(deletable);
      }
    };
    const actions: RowActions = {
      open: ({ id }) => void navigate({ to: '/posts/$id', params: { id } }),
      duplicate: (post) => void duplicate([post]),
      remove: (post) => remove([post]),
      label: (post) => setLabelling([post]),
      select,
      openMenu: setMenuOf,
    };
    return { actions, duplicate, remove };
  }, [area, navigate, duplicateAll, deletePosts, setMenuOf, setConfirming, setLabelling, select]);
};

const Rows = ({
  group,
  posts,
  most,
  count,
  isSelected,
  menuOf,
  actions,
}: {
  group: Group;
  posts: readonly PostSummary[];
  /** Number of rows to render; a placeholder of the same height replaces the rest. */
  most: number;
  count: number | undefined;
  isSelected: (id: string) => boolean;
  menuOf: string | undefined;
  actions: RowActions;
}) => {
  const zone = useZone();
  const isPhone = useIsPhone();
  const today = dateIn(useNow(), zone);
  const { canWrite } = usePermissions();
  const { ofPost } = useOpenApprovals();
  const { networksOf } = useAccounts();
  if (posts.length === 0) return null;
  return (
    <section aria-label={group.name}>
      <GroupHead title={group.name} count={count} />
      <ul aria-label={group.name}>
        {posts.slice(0, most).map((post) => (
          <PostRow
            key={post.id}
            post={post}
            zone={zone}
            today={today}
            isPhone={isPhone}
            isWaiting={ofPost.has(post.id)}
            isSelected={isSelected(post.id)}
            isMenuOpen={menuOf === post.id}
            canWrite={canWrite}
            networksOf={networksOf}
            actions={actions}
          />
        ))}
        {posts.length > most && (
          <li
            aria-hidden="true"
            className={styles.toCome}
            style={{ '--rows': posts.length - most } as React.CSSProperties}
          />
        )}
      </ul>
      {group.hasMore && <More group={group} />}
    </section>
  );
};

/** The last group loads more as its end comes near. Other groups and keyboard users have a button. */
const More = ({ group }: { group: Group }) => {
  const { ref, entry } = useIntersection({ rootMargin: '600px' });
  const { hasMore, isLoadingMore, loadMore, error } = group;
  const isInSight = entry?.isIntersecting ?? false;
  const isLastGroup = group.name === 'Sent';
  useEffect(() => {
    if (isLastGroup && isInSight && hasMore && !isLoadingMore && error === null) void loadMore();
  }, [isLastGroup, isInSight, hasMore, isLoadingMore, loadMore, error]);
  return (
    <div ref={ref} className={styles.more}>
      <Button size="xs" variant="quiet" loading={isLoadingMore} onClick={() => void loadMore()}>
        Show more
      </Button>
      {group.isMoreFailed && <p role="alert">More posts could not be loaded.</p>}
    </div>
  );
};

const Labelling = ({ posts, onClose }: { posts: readonly SelectedPost[]; onClose: () => void }) => {
  const labelPosts = useLabelPosts();
  if (posts.length === 0) return null;
  const ids = posts.map(({ id }) => id);
  const having = (label: string) => {
    const count = posts.filter(({ labelIds }) => labelIds.includes(label)).length;
    return count === 0 ? 'none' : count === posts.length ? 'all' : 'some';
  };
  return (
    <Suspense>
      <LabelsDialog
        title={posts.length === 1 ? 'Labels' : `Labels of ${posts.length} posts`}
        having={having}
        onChoose={(label, on) => void labelPosts(ids, on ? { add: [label] } : { remove: [label] })}
        onClose={onClose}
      />
    </Suspense>
  );
};

const countOf = (name: GroupName, status: Status | undefined, counts: ReturnType<typeof useCounts>) => {
  if (counts === undefined) return undefined;
  if (status !== undefined) return counts[status];
  if (name === 'Drafts') return counts.Draft;
  return name === 'Scheduled' ? counts.Scheduled : counts.Publishing + counts.Published + counts.Failed;
};

/** How many posts the list has on all its pages. */
const totalOf = (status: Status | undefined, counts: ReturnType<typeof useCounts>) => {
  if (counts === undefined) return undefined;
  return status === undefined ? Object.values(counts).reduce((sum, count) => sum + count, 0) : counts[status];
};

/** Replaces selected posts with their loaded rows, which have the current labels. */
const currentOf = (posts: readonly SelectedPost[], rows: readonly PostSummary[]) => {
  const current = new Map(rows.map((post) => [post.id, post]));
  return posts.map((post): SelectedPost => current.get(post.id) ?? post);
};
