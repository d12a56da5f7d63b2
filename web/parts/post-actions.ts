import { useQueryClient } from '@tanstack/react-query';
import { ArchiveRestore, Copy, Trash2 } from 'lucide-react';
import { useCallback, useSyncExternalStore } from 'react';
import type { Post, PostSummary } from '#generated/app-client';
import { actions, app } from '#web/base/api.ts';
import { describeFailure } from '#web/base/faults.ts';
import { queries } from '#web/base/queries.ts';
import { runBulk } from './bulk.ts';
import { count } from './number.ts';
import { quoteHeading, titleOf } from './post-title.tsx';
import { showToast } from './toasts.tsx';

type Deletable = Pick<PostSummary, 'id' | 'text' | 'status'>;

let deletedIds: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();
const setDeletedIds = (next: ReadonlySet<string>) => {
  deletedIds = next;
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Posts deleted in this tab; lists hide them before the server answers. */
export const useDeleted = () => useSyncExternalStore(subscribe, () => deletedIds);

const showFault = (title: string, error: unknown) =>
  showToast({ tone: 'red', text: describeFailure(error, title), icon: Copy });

/** Deletes at once. Undo takes the posts out of the bin, as drafts. */
export const useDeletePosts = () => {
  const client = useQueryClient();
  return useCallback(
    (posts: readonly Deletable[], onRestored?: () => void) => {
      const ids = posts.map(({ id }) => id);
      const show = (shown: readonly string[]) =>
        setDeletedIds(new Set([...deletedIds].filter((id) => !shown.includes(id))));
      setDeletedIds(new Set([...deletedIds, ...ids]));
      const deletion = runBulk({
        change: 'Delete',
        posts,
        doing: 'Deleting',
        doneText: (number) => describeDeleted(posts, number),
        notDone: 'not deleted',
        icon: Trash2,
        onUndo: () => restore(),
      });
      const restore = async () => {
        const { done } = await deletion;
        const wasScheduled = posts.some(({ status }) => status === 'Scheduled');
        const restored = await runBulk({
          change: 'Restore',
          posts: posts.filter(({ id }) => done.includes(id)),
          doing: 'Restoring',
          doneText: (number) =>
            wasScheduled
              ? `${count(number, 'post')} restored as ${number === 1 ? 'a draft. Its time is a suggestion' : 'drafts. Their times are suggestions'} now.`
              : undefined,
          notDone: 'not restored',
          icon: ArchiveRestore,
        });
        show(restored.done);
        if (restored.done.length > 0) onRestored?.();
        await client.invalidateQueries({ queryKey: ['posts'] });
      };
      void deletion.then(({ done }) => {
        show(ids.filter((id) => !done.includes(id)));
        return client.invalidateQueries({ queryKey: ['posts'] });
      });
    },
    [client],
  );
};

/** `number`: how many of them were deleted. */
const describeDeleted = (posts: readonly Deletable[], number: number) => {
  const [only] = posts;
  const isDraft = posts.every(({ status }) => status === 'Draft');
  if (posts.length > 1 || only === undefined) return `${count(number, isDraft ? 'draft' : 'post')} deleted`;
  if (titleOf(only.text) === '') return isDraft ? 'Empty draft deleted' : 'Post deleted';
  return `${isDraft ? 'Draft ' : ''}${quoteHeading(only.text)} deleted`;
};

/** Shows posts again that were restored from the bin. */
export const showRestored = (ids: readonly string[]) =>
  setDeletedIds(new Set([...deletedIds].filter((id) => !ids.includes(id))));

const copyLabels = async (from: string, to: string) => {
  const { labelIds } = await app.getPostLabels({ id: from });
  if (labelIds.length > 0) await app.labelPosts({ postIds: [to], add: labelIds });
};

type Content = Pick<Post, 'accountIds' | 'versions'>;

/** Creates a draft with the labels of the post `labelsOf`, without accounts that are no longer connected. */
export const useMakeCopy = () => {
  const client = useQueryClient();
  return useCallback(
    async (content: Content, labelsOf: string | undefined): Promise<Post> => {
      const { accounts } = await client.ensureQueryData(queries.accounts);
      const accountIds = content.accountIds.filter((id) => accounts.some((account) => account.id === id));
      const versions = content.versions.filter(({ accountId }) => !accountId || accountIds.includes(accountId));
      const copy = await actions.posts.create({ accountIds, versions });
      if (labelsOf !== undefined) {
        await copyLabels(labelsOf, copy.id).catch((error: unknown) => showFault('The copy has no labels.', error));
      }
      return copy;
    },
    [client],
  );
};

/** Returns the ids of the copies. */
export const useDuplicate = () => {
  const client = useQueryClient();
  const makeCopy = useMakeCopy();
  return useCallback(
    async (ids: readonly string[]): Promise<string[]> => {
      const copies: string[] = [];
      try {
        for (const id of ids) copies.push((await makeCopy(await actions.posts.get({ id }), id)).id);
      } catch (error) {
        showFault('Not duplicated.', error);
      }
      const [only] = copies;
      if (only !== undefined) {
        const text = copies.length === 1 ? 'Duplicated as a draft' : `Duplicated as ${count(copies.length, 'draft')}`;
        const link = { to: '/posts/$id', params: { id: only } } as const;
        showToast({ text, icon: Copy, ...(copies.length === 1 && { action: { label: 'Open', link } }) });
        void client.invalidateQueries({ queryKey: ['posts'] });
      }
      return copies;
    },
    [client, makeCopy],
  );
};
