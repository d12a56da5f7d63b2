import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/base/context';
import type { Drafts } from '#server/writing/posts/drafts';

export const setVersionText = ({
  drafts,
}: {
  drafts: Drafts;
}): Handler<(typeof postActions)['posts.setVersionText']> => ({
  prepare: ({ caller, input }) => drafts.prepareText(caller, input),
  run: ({ caller, input, preparation }) => drafts.setVersionText(caller, input, preparation),
});
