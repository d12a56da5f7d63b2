import type { postActions } from '#contracts/posts';
import type { Caller, Handler, Output, Preparation } from '#server/base/context';

type PublishNow = (typeof postActions)['posts.publishNow'];

interface PublishControls {
  publishNow(
    caller: Caller,
    id: string,
    how: { readonly preparation?: Preparation | undefined },
  ): Promise<Output<PublishNow>>;
}

export const publishPostNow =
  ({ publishControls }: { publishControls: PublishControls }): Handler<PublishNow> =>
  ({ caller, input, preparation }) =>
    publishControls.publishNow(caller, input.id, { preparation });
