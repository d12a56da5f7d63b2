import { randomUUID } from 'node:crypto';
import { bounds } from '#server/base/bounds';
import { Refusal } from '#server/base/errors';
import type { Listening } from '#server/base/store/listen';
import { type AccessChange, everyWorkspace, type LiveChange, type LiveEvent } from './changes.ts';
import { parseNotification } from './parse-notification.ts';
import type { LiveStore } from './store.ts';

/** Enough for a browser that lost its connection briefly; after a longer break it reads everything again. */
const maxRecent = 2000;
const retryAfterSeconds = 30;

const everybody = '*';

interface Subscriber {
  readonly workspaceId: string;
  readonly userId: string;
  /** The last event that this browser has seen. */
  readonly after: string | undefined;
  receive(event: LiveEvent): void;
  /** Ends the stream if the user lost access. */
  recheckAccess(): void;
  end(): void;
}

const isFor = (event: LiveEvent, subscriber: Subscriber) =>
  event.workspaceId === subscriber.workspaceId || event.workspaceId === everyWorkspace;

const foreignNotification =
  'An unknown notification on the channel of live events was ignored. Only Posthorn should send there: check who else uses this database.';

export type Live = ReturnType<typeof createLive>;

/** Pushes changes to open tabs, across all instances. */
export const createLive = ({ store, report }: { store: LiveStore; report: (error: unknown) => void }) => {
  const subscribers = new Set<Subscriber>();
  const accessListeners: (() => void)[] = [];
  const progressListeners: ((event: LiveEvent) => void)[] = [];
  const changeListeners: ((event: LiveEvent) => void)[] = [];
  let isStopped = false;
  let listening: Listening | undefined;
  // Every instance receives the same events in commit order, so a browser can resume on any of them.
  let recent: LiveEvent[] = [];
  const resetRecent = () => {
    recent = [{ eventId: randomUUID(), workspaceId: '', kind: 'resync' }];
  };
  resetRecent();
  const lastEventId = () => recent.at(-1)?.eventId ?? '';

  const remember = (event: LiveEvent) => {
    recent.push(event);
    if (recent.length > 2 * maxRecent) recent = recent.slice(-maxRecent);
  };

  const broadcast = (event: LiveEvent) => {
    if (event.kind === 'progress') for (const listener of progressListeners) listener(event);
    else {
      remember(event);
      for (const listener of changeListeners) listener(event);
    }
    for (const subscriber of subscribers) if (isFor(event, subscriber)) subscriber.receive(event);
  };

  const resync = (subscriber: Subscriber) =>
    subscriber.receive({ eventId: lastEventId(), workspaceId: subscriber.workspaceId, kind: 'resync' });

  /** Sends the events after the last one it has seen, or `resync` if that one is no longer in memory. */
  const catchUp = (subscriber: Subscriber) => {
    if (subscriber.after === undefined) return;
    const lastSeen = recent.findIndex(({ eventId }) => eventId === subscriber.after);
    if (lastSeen < 0) return resync(subscriber);
    for (const event of recent.slice(lastSeen + 1)) {
      if (isFor(event, subscriber)) subscriber.receive(event);
    }
  };

  /** Called when changes may have been missed: before the connection was up, or while it was lost. */
  const resyncAll = () => {
    resetRecent();
    for (const listener of accessListeners) listener();
    for (const subscriber of subscribers) {
      resync(subscriber);
      subscriber.recheckAccess();
    }
  };

  const onNotification = (payload: string) => {
    const message = parseNotification(payload);
    if (message === undefined) return report(new Error(foreignNotification));
    if (!('accessOf' in message)) return broadcast(message);
    for (const listener of accessListeners) listener();
    for (const subscriber of [...subscribers]) {
      if (message.accessOf === everybody || subscriber.userId === message.accessOf) subscriber.recheckAccess();
    }
  };

  return {
    /** Reaches open tabs when the surrounding transaction commits. */
    publish: async (...changes: LiveChange[]) => {
      if (changes.length > 0) {
        await store.notify(changes.map((change) => JSON.stringify({ eventId: randomUUID(), ...change })));
      }
    },

    /**
     * Call after sign-out, removal, a switch of workspace or a revoked token. Other instances are notified on commit.
     */
    accessChanged: async (userId: string = everybody) => {
      for (const listener of accessListeners) listener();
      await store.notify([JSON.stringify({ accessOf: userId } satisfies AccessChange)]);
    },

    /** Called when access changes on any instance, and when that may have been missed: see `resyncAll`. */
    onAccessChanged: (listener: () => void) => {
      accessListeners.push(listener);
    },

    /** Called for each progress event of any instance. */
    onProgress: (listener: (event: LiveEvent) => void) => {
      progressListeners.push(listener);
    },

    /** Called for each change that any instance made, except progress. */
    onChange: (listener: (event: LiveEvent) => void) => {
      changeListeners.push(listener);
    },

    /** Whether this instance receives notifications now. */
    isListening: () => listening?.isListening() ?? false,

    /** The id from which a browser that connects now can resume. */
    lastEventId,

    subscriberCount: () => subscribers.size,

    mustAllowStream: (userId: string) => {
      let open = 0;
      for (const subscriber of subscribers) if (subscriber.userId === userId) open += 1;
      if (open < bounds.eventStreams) return;
      const refusal = new Refusal(
        'TooManyRequests',
        `${open} event streams are open for you. Close browsers or programs that you do not need, then try again.`,
      );
      refusal.retryAfterSeconds = retryAfterSeconds;
      throw refusal;
    },

    /** Returns the function that unsubscribes. */
    subscribe: (subscriber: Subscriber) => {
      subscribers.add(subscriber);
      catchUp(subscriber);
      if (isStopped) setImmediate(() => subscriber.end());
      return () => {
        subscribers.delete(subscriber);
      };
    },

    /** Listens until the database is closed. */
    start: () => {
      listening = store.listen({ onNotification, onConnect: resyncAll, onReconnect: resyncAll });
    },

    /** Ends all streams, so that open tabs reconnect to another instance. */
    stop: () => {
      isStopped = true;
      for (const subscriber of [...subscribers]) subscriber.end();
    },
  };
};
