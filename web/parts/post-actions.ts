import { useQueryClient } from '@tanstack/react-query';
import { Copy, Trash2 } from 'lucide-react';
import { useCallback, useSyncExternalStore } from 'react';
import type { Post, PostSummary } from '#generated/app-client';
import { actions, app, keepaliveActions } from '#web/api.ts';
import { faultOf } from '#web/faults.ts';
import { count } from './number.ts';
import { quoteHeading, titleOf } from './post-title.tsx';
import { showToast, showUndo } from './toasts.tsx';
import { useAccounts } from './use-accounts.ts';

type Named = Pick<PostSummary, 'id' | 'text'>;

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

/** Drafts deleted in this tab; lists hide them while Undo is possible. */
export const useDeleted = () => useSyncExternalStore(subscribe, () => deletedIds);

const showFault = (title: string, error: unknown) =>
  showToast({ tone: 'red', text: `${title} ${faultOf(error).message}`, icon: Trash2 });

/** Hides drafts at once and deletes them when the time for Undo is over. */
export const useDeleteDrafts = () => {
  const client = useQueryClient();
  return useCallback(
    (drafts: readonly Named[]) => {
      const ids = drafts.map(({ id }) => id);
      const restore = () => setDeletedIds(new Set([...deletedIds].filter((id) => !ids.includes(id))));
      const act = async () => {
        try {
          await Promise.all(ids.map((id) => keepaliveActions.posts.delete({ id })));
        } catch (error) {
          restore();
          showFault('Not deleted.', error);
        }
        await client.invalidateQueries({ queryKey: ['posts'] });
      };
      setDeletedIds(new Set([...deletedIds, ...ids]));
      const [only] = drafts;
      const text =
        drafts.length > 1 || only === undefined
          ? `${count(drafts.length, 'draft')} deleted`
          : titleOf(only.text) === ''
            ? 'Empty draft deleted'
            : `Draft ${quoteHeading(only.text)} deleted`;
      showUndo({ text, icon: Trash2, act: () => void act(), undo: restore });
    },
    [client],
  );
};

/** Copies a post, without accounts that are no longer connected. */
const copyOf = async (id: string, isConnected: (accountId: string) => boolean): Promise<Post> => {
  const post = await actions.posts.get({ id });
  const accountIds = post.accountIds.filter(isConnected);
  const versions = post.versions.filter(({ accountId }) => accountId === undefined || accountIds.includes(accountId));
  return makeCopy({ accountIds, versions }, id);
};

/** Creates a draft with the labels of the post `labelsOf`. */
export const makeCopy = async (
  { accountIds, versions }: Pick<Post, 'accountIds' | 'versions'>,
  labelsOf: string | undefined,
): Promise<Post> => {
  const { labelIds } = labelsOf === undefined ? { labelIds: [] } : await app.getPostLabels({ id: labelsOf });
  const copy = await actions.posts.create({ accountIds, versions });
  if (labelIds.length > 0) await app.labelPosts({ postIds: [copy.id], add: labelIds });
  return copy;
};

/** Returns the ids of the copies. */
export const useDuplicate = () => {
  const client = useQueryClient();
  const { byId } = useAccounts();
  return useCallback(
    async (ids: readonly string[]): Promise<string[]> => {
      const copies: string[] = [];
      try {
        for (const id of ids) copies.push((await copyOf(id, (accountId) => byId.has(accountId))).id);
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
    [client, byId],
  );
};
