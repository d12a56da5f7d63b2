import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/context';
import type { Drafts } from '#server/posts/drafts';

export const updatePost = ({ drafts }: { drafts: Drafts }): Handler<(typeof postActions)['posts.update']> => ({
  prepare: ({ caller, input }) => drafts.prepareUpdate(caller, input),
  run: ({ caller, input, approval }) => drafts.update(caller, input, approval),
});
