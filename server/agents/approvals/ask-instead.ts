import type { AskInstead } from '#server/base/context';
import { Refusal } from '#server/base/errors';
import { type Approvers, anyOf } from './approvers.ts';
import type { ApprovalCards } from './cards.ts';

/** Do not run `work` inside a transaction of the caller: the refusal would roll the new request back. */
export const createAskInstead =
  ({ cards, approvers }: { cards: Pick<ApprovalCards, 'request'>; approvers: Approvers }): AskInstead =>
  async (request, work) => {
    try {
      return await work();
    } catch (error) {
      const isMissing = error instanceof Refusal && error.code === 'ApprovalRequired';
      if (!isMissing || !request.caller.canOnlyAsk) throw error;
      const { approvalUrl } = await cards.request(request);
      throw requestMade(
        approvalUrl,
        (await approvers.list(request.caller)).map(({ name }) => name),
      );
    }
  };

const requestMade = (url: string, names: readonly string[]) => {
  const message = `Asked; waiting for ${anyOf(names)}.`;
  return new Refusal('ApprovalRequired', message, [{ path: 'id', code: 'Asked', message, url }]);
};
