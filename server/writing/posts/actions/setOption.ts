import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/base/context';
import type { Drafts } from '#server/writing/posts/drafts';

export const setPostOption = ({ drafts }: { drafts: Drafts }): Handler<(typeof postActions)['posts.setOption']> => ({
  prepare: ({ caller, input }) => drafts.prepareOption(caller, input),
  run: ({ caller, input, preparation }) => drafts.setOption(caller, input, preparation),
});
