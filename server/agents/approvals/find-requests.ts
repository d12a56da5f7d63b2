import type { Caller } from '#server/base/context';
import type { CardStore } from './card-store.ts';
import { type CardValidity, idOf } from './card-validity.ts';

export type FindRequests = ReturnType<typeof createFindRequests>;

/** Open requests about posts. */
export const createFindRequests =
  ({
    store,
    validity: { subjectOf, closeStale },
    baseUrl,
  }: {
    store: CardStore;
    validity: CardValidity;
    baseUrl: string;
  }) =>
  async (caller: Caller) => {
    await closeStale(caller, await store.open(caller.workspaceId));
    return (await store.open(caller.workspaceId))
      .filter(({ action }) => subjectOf(action) === 'post')
      .map((card) => ({
        postId: idOf(card),
        action: card.action,
        approvalUrl: `${baseUrl}/approvals/${card.id}`,
      }));
  };
