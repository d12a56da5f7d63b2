import type { postActions } from '#contracts/posts';
import type { ApprovalRun, Caller, Handler, Output } from '#server/base/context';

type PublishNow = (typeof postActions)['posts.publishNow'];

interface PublishControls {
  publishNow(
    caller: Caller,
    id: string,
    how: { readonly approval?: ApprovalRun | undefined },
  ): Promise<Output<PublishNow>>;
}

export const publishPostNow =
  ({ publishControls }: { publishControls: PublishControls }): Handler<PublishNow> =>
  ({ caller, input, approval }) =>
    publishControls.publishNow(caller, input.id, { approval });
