import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#server/clock';
import { createBatch } from '#server/jobs/batch';
import type { Live } from '#server/live/open-tabs';
import type { Outbound, OutboundAnswer, WriteGuard } from '#server/outbound/guarded-client';
import type { Seal } from '#server/secrets/seal';
import type { DeliveryMetrics } from './metrics.ts';
import type { AnnouncePause } from './pausing.ts';
import { type AllowedWebhooks, beyondPlan } from './plan-limit.ts';
import { deliveryHeaders } from './signing.ts';
import { createSigningKeys } from './signing-keys.ts';
import type { ClaimedDelivery, ClaimedWebhook, Delivered, DeliveryStore, Tried } from './store.ts';

const minuteMs = 60_000;
/** SPEC, Delivery rules 2: the wait after the first try, the second, …; after the last it is given up. */
export const ladderMs = [1, 5, 30, 2 * 60, 6 * 60, 12 * 60, 24 * 60].map((minutes) => minutes * minuteMs);
/** SPEC, Delivery rules 4. */
const givenUpUntilPause = 10;
/** Nothing waits for it, and it is a statement less for most deliveries. */
const saveGatherMs = 5;
const tellEveryMs = 250;

export interface HeldDelivery {
  readonly delivery: ClaimedDelivery;
  /** It may be sent only while this is true: after that the lease may end before the answer comes. */
  readonly lease: WriteGuard;
}

export type Deliver = ReturnType<typeof createDelivering>;

/** One try of a delivery: prepare → call → delivered or failed. */
export const createDelivering = ({
  store,
  announcePause,
  live,
  outbound,
  seal,
  allowedWebhooks,
  metrics,
  clock,
  answerTimeoutMs,
}: {
  store: DeliveryStore;
  announcePause: AnnouncePause;
  live: Live;
  outbound: Outbound;
  seal: Seal;
  allowedWebhooks: AllowedWebhooks;
  metrics: DeliveryMetrics;
  /** Wall clock: the receiver compares the time of the signature with its own clock. */
  clock: Clock;
  answerTimeoutMs: number;
}) => {
  const keysOf = createSigningKeys(seal);

  const saveDelivered = createBatch(
    async (delivered: readonly Delivered[]) => {
      await store.saveDelivered(delivered);
      // News are hints. A database that is gone is reported by those who need its answer.
      tellSoon(delivered).catch(() => undefined);
      return delivered;
    },
    { gatherMs: () => saveGatherMs },
  );

  /** At once, and then no more often than open tabs can use. */
  const tellSoon = createBatch(async (delivered: readonly (readonly Delivered[])[]) => {
    await tell(delivered.flat().map(({ delivery }) => delivery.webhook));
    await sleep(tellEveryMs, undefined, { ref: false });
    return delivered;
  });

  /** Once for each webhook, however many deliveries there were. */
  const tell = (webhooks: readonly ToldWebhook[]) => {
    const workspaces = new Map(webhooks.map(({ id, workspaceId }) => [id, workspaceId]));
    return live.publish(...[...workspaces].map(([id, workspaceId]) => ({ workspaceId, kind: 'webhook' as const, id })));
  };

  /**
   * `answered` is called when the receiver is free for the next: after a good answer at once, as only the result is still to be
   * written; after any other when it is written, so that a webhook which is being paused gets nothing more.
   */
  const deliver = async ({ delivery, lease }: HeldDelivery, answered: (isGood: boolean) => void): Promise<void> => {
    const { webhook } = delivery;
    const reason = skipReason(webhook);
    if (reason !== undefined) {
      await store.saveRefused(delivery, reason);
      await tell([webhook]);
      return;
    }
    const body = Buffer.from(delivery.body);
    const headers = deliveryHeaders(delivery, body, keysOf(webhook), clock.now());
    const begunMs = performance.now();
    const answer = await outbound.request(webhook.url, {
      method: 'POST',
      headers,
      body,
      timeoutMs: answerTimeoutMs,
      maxBytes: 0,
      keptConnection: true,
      repeatable: true,
      guard: lease,
    });
    // Nothing was sent: it is due again when the lease ends, here or elsewhere.
    if (!answer.ok && answer.reason === 'late') return;
    const tried = { answer: wordsFor(answer), tookMs: Math.round(performance.now() - begunMs), headers };
    if (isGood(answer)) {
      answered(true);
      await saveDelivered({ delivery, tried });
      metrics.tried('ok');
    } else {
      await failed(delivery, tried);
      answered(false);
    }
  };

  /** Why a delivery ends without a request; undefined when it is sent. */
  const skipReason = ({ paused, older, plan, workspaceId }: ClaimedWebhook) => {
    if (paused) return 'Not sent: the webhook was paused.';
    const allowed = allowedWebhooks(plan, workspaceId);
    return older < allowed ? undefined : `Not sent. ${beyondPlan(allowed)}`;
  };

  /** SPEC, Delivery rules 1: only the status is read, so that no answer moves a retry or pauses the webhook by itself. */
  const failed = (delivery: ClaimedDelivery, tried: Tried) =>
    store.transaction(async () => {
      const waitMs = ladderMs[delivery.attempts];
      metrics.tried(waitMs === undefined ? 'givenUp' : 'failed');
      if (!(await store.saveFailed(delivery, tried, waitMs))) return;
      await tell([delivery.webhook]);
      if (waitMs !== undefined) return;
      if ((await store.countGivenUp(delivery.webhook.id)) >= givenUpUntilPause) await pause(delivery.webhook);
    });

  const pause = async (webhook: ClaimedWebhook) => {
    const reason = `${givenUpUntilPause} deliveries in a row were given up.`;
    if (!(await store.pause(webhook.id, reason))) return;
    await announcePause(webhook, reason, 'Mend the receiver, then resume it.');
  };

  return deliver;
};

type ToldWebhook = Pick<ClaimedWebhook, 'id' | 'workspaceId'>;

const isGood = (answer: OutboundAnswer) => answer.ok && answer.status >= 200 && answer.status < 300;

const wordsFor = (answer: OutboundAnswer) => {
  if (!answer.ok) return answer.message;
  const isRedirect = answer.status >= 300 && answer.status < 400;
  return isRedirect ? `HTTP ${answer.status}: redirects are not followed.` : `HTTP ${answer.status}`;
};
