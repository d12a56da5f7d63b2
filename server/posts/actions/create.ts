import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/context';
import type { Drafts } from '#server/posts/drafts';

export const createPost = ({ drafts }: { drafts: Drafts }): Handler<(typeof postActions)['posts.create']> => ({
  prepare: ({ caller, input }) => drafts.prepareCreate(caller, input),
  run: ({ caller, input }) => drafts.create(caller, input),
});
