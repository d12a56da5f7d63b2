import type { EventType } from '#contracts/events';
import type { Clock } from '#server/clock';
import { newId } from '#server/ids';
import type { EventStore } from './store.ts';

export interface NewEvent {
  readonly workspaceId: string;
  readonly type: EventType;
  readonly data: unknown;
}

export type Events = ReturnType<typeof createEvents>;

/** What happened. Called inside the transaction of the change, so that no event is lost or invented. */
export const createEvents = ({ store, clock }: { store: EventStore; clock: Clock }) => ({
  write: async (happened: readonly NewEvent[]) => {
    if (happened.length === 0) return;
    await store.insert(happened.map((event) => ({ ...event, id: newId('event', clock.now()) })));
  },
});
