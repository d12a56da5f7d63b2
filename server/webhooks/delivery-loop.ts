import { randomUUID } from 'node:crypto';
import { createDueLoop, type DueLoop } from '#server/queue';
import type { Deliver } from './delivering.ts';
import type { ClaimedDelivery, DeliveryStore } from './store.ts';

const atOnce = 400;
const atOncePerWebhook = 8;
/** Longer than any try takes: who has not ended one by then is dead, and another instance tries again. */
const leaseMs = 30_000;

/** Sends what is due. Webhooks take turns, and one that does not answer well gets a single request at a time. */
export const createDeliveries = ({
  store,
  deliver,
  report,
}: {
  store: DeliveryStore;
  deliver: Deliver;
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

  return createDueLoop<ClaimedDelivery>({
    concurrency: atOnce,
    claim: (room) => store.claim(room, randomUUID(), leaseMs, { free: freeSlots(), otherwise: atOncePerWebhook }),
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
