import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/context';
import type { PublishControls } from '#server/publishing/publish-controls';

export const publishPostNow =
  ({ publishControls }: { publishControls: PublishControls }): Handler<(typeof postActions)['posts.publishNow']> =>
  ({ caller, input, approval }) =>
    publishControls.publishNow(caller, input.id, { approval });
