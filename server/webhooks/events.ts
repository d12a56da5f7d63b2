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

/** Events, and their deliveries to webhooks. */
export const createEvents = ({ store, clock }: { store: EventStore; clock: Clock }) => {
  const toEvent = ({ workspaceId, type, data }: NewEvent) => {
    const now = clock.now();
    const id = newId('event', now);
    const createdAt = instantOf(now);
    const head = JSON.stringify({ id, type, createdAt, workspaceId });
    return { id, workspaceId, type, data, createdAt, body: `${head.slice(0, -1)},"data":${data.text}}` };
  };

  return {
    /**
     * Called inside the transaction of the change, so that no event is lost or untrue. Each goes to every active webhook
     * that is subscribed to its type.
     */
    write: async (newEvents: readonly NewEvent[]) => {
      if (newEvents.length === 0) return;
      const events = newEvents.map(toEvent);
      const subscriptions = await store.insert(events);
      if (subscriptions.length === 0) return;
      const now = clock.now();
      await store.insertDeliveries(
        subscriptions.flatMap(({ eventId, webhookId }) =>
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

    /** SPEC, Event types: a ping goes only to the tested webhook. Returns the id of the delivery. */
    ping: async ({ id: webhookId, workspaceId }: { id: string; workspaceId: string }) => {
      const event = toEvent({ workspaceId, type: 'ping', data: jsonOf({ message: 'This is a test from Posthorn.' }) });
      const id = newId('delivery', clock.now());
      await store.insert([event]);
      const { id: eventId, type, body } = event;
      await store.insertDeliveries([{ workspaceId, id, webhookId, eventId, type, body }]);
      return id;
    },

    purge: store.purge,
  };
};
