import { randomUUID } from 'node:crypto';
import type { Stopwatch } from '#server/clock';
import { createDueLoop, type DueLoop } from '#server/queue';
import type { Deliver, HeldDelivery } from './delivering.ts';
import type { DeliveryStore } from './store.ts';

const atOnce = 400;
const atOncePerWebhook = 8;
/** Longer than any try takes: who has not ended one by then is dead, and another instance tries again. */
const leaseMs = 30_000;
/** So that an answer comes in before the lease ends. */
const sendWithinMs = leaseMs / 2;

/** Sends what is due. Webhooks take turns, and one that does not answer well gets a single request at a time. */
export const createDeliveries = ({
  store,
  deliver,
  startStopwatch,
  report,
}: {
  store: DeliveryStore;
  deliver: Deliver;
  startStopwatch: () => Stopwatch;
  report: (error: unknown) => void;
}): DueLoop => {
  const inFlight = new Map<string, number>();
  const failing = new Set<string>();

  /** Of the webhooks that have not all of theirs. */
  const freeSlots = () => {
    const free = new Map<string, number>();
    for (const id of failing) free.set(id, 1);
    for (const [id, count] of inFlight) free.set(id, Math.max(0, (free.get(id) ?? atOncePerWebhook) - count));
    return free;
  };

  const count = (webhookId: string, change: 1 | -1) => {
    const now = (inFlight.get(webhookId) ?? 0) + change;
    if (now === 0) inFlight.delete(webhookId);
    else inFlight.set(webhookId, now);
  };

  return createDueLoop<HeldDelivery>({
    concurrency: atOnce,
    claim: async (room) => {
      const sinceClaimed = startStopwatch();
      const slots = { free: freeSlots(), otherwise: atOncePerWebhook };
      const claimed = await store.claim(room, randomUUID(), leaseMs, slots);
      const mayBegin = () => sinceClaimed() < sendWithinMs;
      return claimed.map((delivery) => ({ ...delivery, mayBegin }));
    },
    handle: async (delivery) => {
      const { webhookId } = delivery;
      count(webhookId, 1);
      try {
        if (await deliver(delivery)) failing.delete(webhookId);
        else failing.add(webhookId);
      } finally {
        count(webhookId, -1);
      }
    },
    // Those without a free slot are looked at when one of theirs ends.
    msToNext: () => store.msToNext([...freeSlots()].filter(([, free]) => free === 0).map(([id]) => id)),
    report,
  });
};
