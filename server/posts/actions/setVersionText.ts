import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/context';
import type { Drafts } from '#server/posts/drafts';

export const setVersionText =
  ({ drafts }: { drafts: Drafts }): Handler<(typeof postActions)['posts.setVersionText']> =>
  ({ caller, input, approval }) =>
    drafts.setVersionText(caller, input, approval);
