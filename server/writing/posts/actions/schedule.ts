import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/base/context';
import type { Lifecycle } from '#server/writing/posts/lifecycle';

export const schedulePost =
  ({ lifecycle }: { lifecycle: Lifecycle }): Handler<(typeof postActions)['posts.schedule']> =>
  ({ caller, input, preparation }) =>
    lifecycle.schedule(caller, input.id, input.at, preparation);
