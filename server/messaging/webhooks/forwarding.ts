import { setTimeout as sleep } from 'node:timers/promises';
import { instantOf } from '#contracts/instant';
import type { Clock } from '#server/base/clock';
import { newId } from '#server/base/ids';
import type { Database } from '#server/base/store/database';
import { bodyOf, newPing } from './events.ts';
import { deliveryHeaders, newSecret, signingKeysOf } from './signing.ts';
import { createEventStore, type EventRow, type EventStore } from './store.ts';

const pollMs = 1_000;
/** Longer than any transaction that writes an event, even if its process was stopped meanwhile. */
const overlapMs = 10 * 60_000;
/** SPEC, Delivery rules 1. */
const answerTimeoutMs = 10_000;

/** An event that was forwarded once, with what came back. */
export interface ForwardedEvent {
  readonly event: EventRow;
  readonly answer: string;
  readonly tookMs: number;
}

/**
 * Forwards the events of a workspace to a program of the operator, which may be on loopback. Nothing is stored and
 * nothing is retried, so it neither delays nor repeats a delivery.
 */
export const openForwarding = ({
  database,
  clock,
  wallClock,
}: {
  database: Database;
  clock: Clock;
  /** Receivers compare the time of the signature with their own clock. */
  wallClock: Clock;
}) => {
  const store = createEventStore(database);
  const secret = newSecret();
  const keys = [signingKeysOf(secret)];

  const forward = async (url: string, event: EventRow, signal: AbortSignal): Promise<ForwardedEvent> => {
    const body = Buffer.from(bodyOf(event));
    const now = wallClock.now();
    const delivery = { id: newId('delivery', now), eventId: event.id, type: event.type };
    const startedMs = performance.now();
    const answer = await post(url, deliveryHeaders(delivery, body, keys, now), body, signal);
    return { event, answer, tookMs: Math.round(performance.now() - startedMs) };
  };

  return {
    secret,

    /** A ping, then the events from now on, until the signal ends it. */
    follow: async function* (workspaceId: string, url: string, signal: AbortSignal): AsyncGenerator<ForwardedEvent> {
      const newEvents = await createCursor(store, workspaceId, clock);
      yield forward(url, newPing(workspaceId, clock.now()), signal);
      while (!signal.aborted) {
        for (const event of await newEvents()) {
          if (signal.aborted) return;
          yield forward(url, event, signal);
        }
        await sleep(pollMs, undefined, { signal }).catch(() => undefined);
      }
    },
  };
};

/** Each call returns the events that no call has returned yet, even those that were committed late. */
const createCursor = async (store: EventStore, workspaceId: string, clock: Clock) => {
  let newest = instantOf(clock.now());
  let recent: readonly EventRow[] = [];
  const read = async () => {
    const rows = await store.since(
      workspaceId,
      newest,
      overlapMs,
      recent.map(({ id }) => id),
    );
    newest = rows.reduce((last, { createdAt }) => (createdAt > last ? createdAt : last), newest);
    const oldestMs = Date.parse(newest) - overlapMs;
    recent = [...recent, ...rows].filter(({ createdAt }) => Date.parse(createdAt) >= oldestMs);
    return rows;
  };
  await read();
  return read;
};

const post = async (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer<ArrayBuffer>,
  signal: AbortSignal,
) => {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      // The program may have restarted since the last event, which leaves a connection that no longer leads to it.
      headers: { ...headers, connection: 'close' },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]),
    });
    await answer.body?.cancel();
    return `HTTP ${answer.status}`;
  } catch (error) {
    const { name, message, cause } = error as Error;
    if (name === 'TimeoutError') return `No answer within ${answerTimeoutMs / 1000} seconds`;
    return `No answer: ${cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : message}`;
  }
};
