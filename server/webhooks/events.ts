import type { EventType } from '#contracts/events';
import { instantOf } from '#contracts/instant';
import type { Clock } from '#server/clock';
import { newId } from '#server/ids';
import { type JsonText, jsonOf } from '#server/json/json-text';
import type { EventStore } from './store.ts';

interface NewEvent {
  readonly workspaceId: string;
  readonly type: EventType;
  readonly data: JsonText;
}

export type Events = ReturnType<typeof createEvents>;

/** What happened, and who is to be told of it. */
export const createEvents = ({ store, clock }: { store: EventStore; clock: Clock }) => {
  const named = ({ workspaceId, type, data }: NewEvent) => {
    const now = clock.now();
    const id = newId('event', now);
    const createdAt = instantOf(now);
    const head = JSON.stringify({ id, type, createdAt, workspaceId });
    return { id, workspaceId, type, data, createdAt, body: `${head.slice(0, -1)},"data":${data.text}}` };
  };

  return {
    /**
     * Called inside the transaction of the change, so that no event is lost or invented. Each goes to every active webhook
     * that asked for its type.
     */
    write: async (happened: readonly NewEvent[]) => {
      if (happened.length === 0) return;
      const events = happened.map(named);
      const wanted = await store.insert(events);
      if (wanted.length === 0) return;
      const now = clock.now();
      await store.insertDeliveries(
        wanted.flatMap(({ eventId, webhookId }) =>
          events
            .filter(({ id }) => id === eventId)
            .map(({ workspaceId, type, body }) => ({
              workspaceId,
              id: newId('delivery', now),
              webhookId,
              eventId,
              type,
              body,
            })),
        ),
      );
    },

    /** SPEC, Event types: a ping goes to the tested webhook alone. Answers with the id of the delivery. */
    ping: async ({ id: webhookId, workspaceId }: { id: string; workspaceId: string }) => {
      const event = named({ workspaceId, type: 'ping', data: jsonOf({ message: 'This is a test from Posthorn.' }) });
      const id = newId('delivery', clock.now());
      await store.insert([event]);
      const { id: eventId, type, body } = event;
      await store.insertDeliveries([{ workspaceId, id, webhookId, eventId, type, body }]);
      return id;
    },

    purge: store.purge,
  };
};
