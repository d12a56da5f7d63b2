import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/base/context';
import type { Drafts } from '#server/writing/posts/drafts';

export const updatePost = ({ drafts }: { drafts: Drafts }): Handler<(typeof postActions)['posts.update']> => ({
  prepare: ({ caller, input }) => drafts.prepareUpdate(caller, input),
  run: ({ caller, input, preparation }) => drafts.update(caller, input, preparation),
});
