import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import type { Post, Revision } from '#generated/app-client';
import { actions, app } from '#web/base/api.ts';
import { describeFailure } from '#web/base/faults.ts';
import { keepPost, keys } from '#web/base/queries.ts';
import { isMediaId } from '#web/parts/media-file.ts';
import { useDeletePosts, useMakeCopy } from '#web/parts/post-actions.ts';
import { showToast } from '#web/parts/toasts.tsx';
import { contentOf, draftOf, titleOf } from './draft.ts';
import { removeLocalDraft } from './local-draft.ts';
import type { Editor } from './use-editor.ts';

export type PostActions = ReturnType<typeof usePostActions>;

/** Actions on the whole post. None is optimistic. */
export const usePostActions = ({ save, saver, rememberMedia }: Editor) => {
  const navigate = useNavigate();
  const client = useQueryClient();
  const deletePosts = useDeletePosts();
  const makeCopy = useMakeCopy();

  /** Saves first, so that the action applies to the text on the page. */
  const withSaved = async (act: (post: Post) => Promise<Post>) => {
    await saver.act(async (post) => keepPost(client, await act(post)));
    void client.invalidateQueries({ queryKey: keys.lastAccounts });
  };

  const openCopy = async (words: string) => {
    try {
      const copy = await makeCopy(contentOf(save.draft), save.base?.id);
      await navigate({ to: '/posts/$id', params: { id: copy.id } });
      showToast({ text: words });
      return true;
    } catch (error) {
      showToast({ text: describeFailure(error, 'No copy was made.'), tone: 'red', stays: true });
      return false;
    }
  };

  const takeTheirs = () => {
    if (save.theirs) saver.adopt(save.theirs);
  };

  return {
    publish: async () => {
      await withSaved(({ id, status }) =>
        status === 'Scheduled' ? app.publishScheduled({ id }) : actions.posts.publishNow({ id }),
      );
      // Drop `?edit`, so that the results show.
      void navigate({ to: '.', search: {}, replace: true });
    },
    /** Schedules a draft, or moves a scheduled post. */
    schedule: (at: string) =>
      withSaved((post) =>
        post.status === 'Scheduled'
          ? actions.posts.update({
              id: post.id,
              ...contentOf(saver.read().draft),
              scheduledAt: at,
              baseUpdatedAt: post.updatedAt,
            })
          : actions.posts.schedule({ id: post.id, at }),
      ),
    unschedule: () => withSaved(({ id }) => app.unschedule({ id })),
    duplicate: () => openCopy('This is the copy'),
    takeTheirs,
    /** Saves this text over the other version. A third change since then is a new conflict. */
    replaceBoth: saver.resolve,
    keepMineAsCopy: async () => {
      if (await openCopy('Your text is a draft of its own now')) takeTheirs();
    },

    /** Restoring is a new edit. The current text is saved first, so that it stays in the history. */
    restore: async ({ versions, media }: Revision, when: string) => {
      const available = new Set(media.map(({ id }) => id));
      try {
        const post = await saver.settle();
        if (post === undefined) return;
        const before = saver.read().draft;
        rememberMedia(...media);
        const restored = versions.map((version) => ({
          ...version,
          content: version.content.map((item) => ({ ...item, media: item.media.filter((id) => available.has(id)) })),
          options: Object.fromEntries(
            Object.entries(version.options).filter(([, value]) => available.has(value) || !isMediaId(value)),
          ),
        }));
        saver.edit((draft) => draftOf({ ...post, versions: restored }, draft));
        await saver.settle();
        showToast({
          text: `Restored the text of ${when}`,
          icon: RotateCcw,
          action: { label: 'Undo', onClick: () => saver.edit(() => before) },
        });
      } catch (error) {
        showToast({ text: describeFailure(error, 'Not restored.'), tone: 'red', stays: true });
      }
    },

    removeDraft: async () => {
      const { base } = saver.read();
      const text = titleOf(save.draft);
      const created = base?.id ?? saver.abandon();
      removeLocalDraft(base?.id);
      // Leave first, because the editor cannot load a deleted post.
      await navigate({ to: '/posts' });
      const id = await created;
      if (id === undefined) return;
      deletePosts([{ id, status: 'Draft', text }], () => void navigate({ to: '/posts/$id', params: { id } }));
    },

    remove: async () => {
      const id = save.base?.id;
      if (id === undefined) return;
      const post = { id, status: save.base?.status ?? 'Scheduled', text: titleOf(save.draft) };
      removeLocalDraft(id);
      await navigate({ to: '/posts' });
      deletePosts([post]);
    },
  };
};
