import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/base/context';
import type { Drafts } from '#server/writing/posts/drafts';

export const createPost = ({ drafts }: { drafts: Drafts }): Handler<(typeof postActions)['posts.create']> => ({
  prepare: ({ caller, input }) => drafts.prepareCreate(caller, input),
  run: ({ caller, input, preparation }) => drafts.create(caller, input, preparation),
});
