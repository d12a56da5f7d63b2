import { randomUUID } from 'node:crypto';
import type { Stopwatch } from '#server/clock';
import { createDueLoop, type DueLoop } from '#server/jobs/queue';
import type { Deliver, HeldDelivery } from './delivering.ts';
import type { DeliveryStore, Slots } from './store.ts';

const atOnce = 400;
const atOncePerWebhook = 8;
/** Little beside the time that a receiver takes, and a statement less for most deliveries. */
const gatherMs = 10;
/** Longer than any try takes: if it ends, the process that claimed the delivery is gone, and another tries again. */
const leaseMs = 30_000;
/** So that an answer comes in before the lease ends. */
const sendWithinMs = leaseMs / 2;
/** A webhook that was not asked for so long may be well again, or be deleted. */
const failingForMs = 3_600_000;

/**
 * Sends what is due. Webhooks take turns, and one that does not answer well gets a single first try at a time. Retries have
 * slots of their own, so that the ladder is kept however many first tries wait behind a receiver that hangs.
 */
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
  /** Since each of them last failed. */
  const failing = new Map<string, Stopwatch>();
  const firstTries = createCounts();
  const retries = createCounts();

  /** Of the webhooks that have fewer free slots than usual. */
  const freeSlots = (): Slots[] => {
    const first = new Map<string, number>();
    for (const [id, sinceFailed] of failing) {
      if (sinceFailed() < failingForMs) first.set(id, 1);
      else failing.delete(id);
    }
    for (const [id, count] of firstTries.all) first.set(id, (first.get(id) ?? atOncePerWebhook) - count);
    return [
      ...[...first].map(([webhookId, free]) => ({ webhookId, retry: false, free: Math.max(0, free) })),
      ...[...retries.all].map(([webhookId, count]) => ({ webhookId, retry: true, free: atOncePerWebhook - count })),
    ];
  };

  return createDueLoop<HeldDelivery>({
    concurrency: atOnce,
    gatherMs,
    claim: async (room) => {
      const sinceClaimed = startStopwatch();
      const claimed = await store.claim(room, randomUUID(), leaseMs, freeSlots(), atOncePerWebhook);
      const lease = { mayBegin: () => sinceClaimed() < sendWithinMs };
      return claimed.map((delivery) => ({ delivery, lease }));
    },
    handle: async (held, free) => {
      const webhookId = held.delivery.webhook.id;
      const counts = held.delivery.attempts > 0 ? retries : firstTries;
      let isUnderWay = true;
      const end = () => {
        if (isUnderWay) counts.change(webhookId, -1);
        isUnderWay = false;
        free();
      };
      counts.change(webhookId, 1);
      try {
        await deliver(held, (isGood) => {
          if (isGood) failing.delete(webhookId);
          else failing.set(webhookId, startStopwatch());
          end();
        });
      } finally {
        end();
      }
    },
    // A webhook without a free slot is looked at again when one of its deliveries ends.
    msToNext: () => store.msToNext(freeSlots().filter(({ free }) => free === 0)),
    report,
  });
};

/** By webhook; those with none are not in it. */
const createCounts = () => {
  const all = new Map<string, number>();
  return {
    all: all as ReadonlyMap<string, number>,
    change: (webhookId: string, by: 1 | -1) => {
      const now = (all.get(webhookId) ?? 0) + by;
      if (now === 0) all.delete(webhookId);
      else all.set(webhookId, now);
    },
  };
};
