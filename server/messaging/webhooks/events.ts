import type { EventType } from '#contracts/events';
import { instantOf } from '#contracts/instant';
import type { Clock } from '#server/base/clock';
import { newId } from '#server/base/ids';
import { type JsonText, jsonOf } from '#server/base/json/json-text';
import type { EventRow, EventStore } from './store.ts';

interface NewEvent {
  readonly workspaceId: string;
  readonly type: EventType;
  readonly data: JsonText;
}

export type Events = ReturnType<typeof createEvents>;

/** Events, and their deliveries to webhooks. */
export const createEvents = ({ store, clock }: { store: EventStore; clock: Clock }) => {
  const toEvent = (event: NewEvent) => {
    const row = rowOf(event, clock.now());
    return { ...row, body: bodyOf(row) };
  };

  return {
    /** Each goes to every active webhook that is subscribed to its type. */
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
      const event = toEvent(pingIn(workspaceId));
      const id = newId('delivery', clock.now());
      await store.insert([event]);
      const { id: eventId, type, body } = event;
      await store.insertDeliveries([{ workspaceId, id, webhookId, eventId, type, body }]);
      return id;
    },

    purge: store.purge,
  };
};

const rowOf = (event: NewEvent, now: Date) => ({ ...event, id: newId('event', now), createdAt: instantOf(now) });

const pingIn = (workspaceId: string): NewEvent => ({
  workspaceId,
  type: 'ping',
  data: jsonOf({ message: 'This is a test from Posthorn.' }),
});

export const newPing = (workspaceId: string, now: Date): EventRow => rowOf(pingIn(workspaceId), now);

/** SPEC, Events: the envelope. */
export const bodyOf = ({ id, type, createdAt, workspaceId, data }: EventRow) => {
  const head = JSON.stringify({ id, type, createdAt, workspaceId });
  return `${head.slice(0, -1)},"data":${data.text}}`;
};
