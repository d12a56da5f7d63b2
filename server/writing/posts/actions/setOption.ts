import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/base/context';
import type { Drafts } from '#server/writing/posts/drafts';

export const setPostOption =
  ({ drafts }: { drafts: Drafts }): Handler<(typeof postActions)['posts.setOption']> =>
  ({ caller, input, approval }) =>
    drafts.setOption(caller, input, approval);
