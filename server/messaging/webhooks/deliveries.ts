import { randomUUID } from 'node:crypto';
import type { Stopwatch } from '#server/base/clock';
import { createDueLoop, type DueLoop } from '#server/base/jobs/due-loop';
import type { Deliver, LeasedDelivery } from './delivering.ts';
import type { DeliveryStore, Slots } from './store.ts';

const concurrency = 400;
const concurrencyPerWebhook = 8;
/** Short compared with the time a receiver takes, and it saves a statement for most deliveries. */
const gatherMs = 10;
/** Longer than any attempt takes: when it expires, the claiming process has died, and another one retries. */
const leaseMs = 30_000;
/** Leaves time for the answer before the lease ends. */
const sendWithinMs = leaseMs / 2;
/** A webhook without a delivery for this long no longer counts as failing: it may work again, or be deleted. */
const failingForMs = 3_600_000;

/**
 * Sends due deliveries, round-robin over the webhooks. A failing webhook gets one first attempt at a time. Retries have their
 * own slots, so that they stay on schedule however many first attempts wait for a hanging receiver.
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
  /** Time since each webhook last failed. */
  const failing = new Map<string, Stopwatch>();
  const firstAttempts = createCounts();
  const retries = createCounts();

  /** Only for webhooks that have fewer free slots than the default. */
  const freeSlots = (): Slots[] => {
    const first = new Map<string, number>();
    for (const [id, sinceFailed] of failing) {
      if (sinceFailed() < failingForMs) first.set(id, 1);
      else failing.delete(id);
    }
    for (const [id, count] of firstAttempts.all) first.set(id, (first.get(id) ?? concurrencyPerWebhook) - count);
    return [
      ...[...first].map(([webhookId, free]) => ({ webhookId, retry: false, free: Math.max(0, free) })),
      ...[...retries.all].map(([webhookId, count]) => ({
        webhookId,
        retry: true,
        free: concurrencyPerWebhook - count,
      })),
    ];
  };

  return createDueLoop<LeasedDelivery>({
    concurrency,
    gatherMs,
    claim: async (room) => {
      const sinceClaimed = startStopwatch();
      const claimed = await store.claim(room, randomUUID(), leaseMs, freeSlots(), concurrencyPerWebhook);
      const lease = { mayBegin: () => sinceClaimed() < sendWithinMs };
      return claimed.map((delivery) => ({ delivery, lease }));
    },
    handle: async (leased, free) => {
      const webhookId = leased.delivery.webhook.id;
      const counts = leased.delivery.attempts > 0 ? retries : firstAttempts;
      let isInFlight = true;
      const end = () => {
        if (isInFlight) counts.change(webhookId, -1);
        isInFlight = false;
        free();
      };
      counts.change(webhookId, 1);
      try {
        await deliver(leased, (isGood) => {
          if (isGood) failing.delete(webhookId);
          else failing.set(webhookId, startStopwatch());
          end();
        });
      } finally {
        end();
      }
    },
    // A webhook without a free slot is claimed from again when one of its deliveries ends.
    msToNext: () => store.msToNext(freeSlots().filter(({ free }) => free === 0)),
    report,
  });
};

/** By webhook; webhooks with a count of zero are removed. */
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
