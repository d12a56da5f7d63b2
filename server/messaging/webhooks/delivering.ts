import { setTimeout as sleep } from 'node:timers/promises';
import { minuteMs } from '#contracts/time';
import type { Clock } from '#server/base/clock';
import { createBatch } from '#server/base/jobs/batch';
import type { Live } from '#server/base/live/live';
import type { Outbound, OutboundAnswer, WriteGuard } from '#server/base/outbound/guarded-client';
import type { Seal } from '#server/base/secrets/seal';
import type { AnnouncePause } from './announce-pause.ts';
import type { DeliveryMetrics } from './metrics.ts';
import { type AllowedWebhooks, beyondPlan } from './plan-limit.ts';
import { deliveryHeaders } from './signing.ts';
import { createSigningKeys } from './signing-keys.ts';
import type { Attempt, ClaimedDelivery, ClaimedWebhook, DeliveryStore, SuccessfulDelivery } from './store.ts';
import type { TestReceiver } from './test-receiver.ts';

/** SPEC, Delivery rules 2: the delay after each failed attempt; after the last one the delivery is given up. */
export const retryDelaysMs = [1, 5, 30, 2 * 60, 6 * 60, 12 * 60, 24 * 60].map((minutes) => minutes * minuteMs);
/** SPEC, Delivery rules 4. */
const givenUpUntilPause = 10;
/** Nobody waits for these results, and gathering saves a statement for most deliveries. */
const saveGatherMs = 5;
const tellEveryMs = 250;

export interface LeasedDelivery {
  readonly delivery: ClaimedDelivery;
  /** Sending may begin only while this is true: later the lease might end before the answer arrives. */
  readonly lease: WriteGuard;
}

export type Deliver = ReturnType<typeof createDelivering>;

/** One attempt of a delivery: prepare → call → delivered or failed. */
export const createDelivering = ({
  store,
  announcePause,
  live,
  outbound,
  testReceiver,
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
  testReceiver: TestReceiver;
  seal: Seal;
  allowedWebhooks: AllowedWebhooks;
  metrics: DeliveryMetrics;
  /** Wall clock: the receiver compares the time of the signature with its own clock. */
  clock: Clock;
  answerTimeoutMs: number;
}) => {
  const keysOf = createSigningKeys(seal);

  const saveDelivered = createBatch(
    async (delivered: readonly SuccessfulDelivery[]) => {
      await store.saveDelivered(delivered);
      // Live events are only hints, so ignore their errors. Calls that need the database report its failures.
      tellSoon(delivered).catch(() => undefined);
      return delivered;
    },
    { gatherMs: () => saveGatherMs },
  );

  /** Sends the first event at once, then no more than open tabs can use. */
  const tellSoon = createBatch(async (delivered: readonly (readonly SuccessfulDelivery[])[]) => {
    await tell(delivered.flat().map(({ delivery }) => delivery.webhook));
    await sleep(tellEveryMs, undefined, { ref: false });
    return delivered;
  });

  /** Sends one event per webhook, however many deliveries it had. */
  const tell = (webhooks: readonly WebhookRef[]) => {
    const workspaces = new Map(webhooks.map(({ id, workspaceId }) => [id, workspaceId]));
    return live.publish(...[...workspaces].map(([id, workspaceId]) => ({ workspaceId, kind: 'webhook' as const, id })));
  };

  /**
   * `answered` frees the slot of the receiver. After a success it is called at once, because only the result is left to
   * store. After a failure it is called once the result is stored, so that a webhook that is being paused gets no
   * further delivery.
   */
  const deliver = async ({ delivery, lease }: LeasedDelivery, answered: (isGood: boolean) => void): Promise<void> => {
    const { webhook } = delivery;
    const reason = skipReason(webhook);
    if (reason !== undefined) {
      await store.saveRefused(delivery, reason);
      await tell([webhook]);
      return;
    }
    const body = Buffer.from(delivery.body);
    const headers = deliveryHeaders(delivery, body, keysOf(webhook), clock.now());
    const startedMs = performance.now();
    const target = testReceiver.is(webhook)
      ? { client: testReceiver.client, url: testReceiver.ownUrlOf(webhook.id) }
      : { client: outbound, url: webhook.url };
    const answer = await target.client.request(target.url, {
      method: 'POST',
      headers,
      body,
      timeoutMs: answerTimeoutMs,
      maxBytes: 0,
      reuseConnection: true,
      repeatable: true,
      guard: lease,
    });
    // Nothing was sent. The delivery is due again when the lease ends, on any instance.
    if (!answer.ok && answer.reason === 'late') return;
    const attempt = { answer: describeAnswer(answer), tookMs: Math.round(performance.now() - startedMs), headers };
    if (isGood(answer)) {
      answered(true);
      await saveDelivered({ delivery, attempt });
      metrics.tried('ok');
    } else {
      await saveFailure(delivery, attempt);
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
  const saveFailure = (delivery: ClaimedDelivery, attempt: Attempt) =>
    store.transaction(async () => {
      const waitMs = retryDelaysMs[delivery.attempts];
      metrics.tried(waitMs === undefined ? 'givenUp' : 'failed');
      if (!(await store.saveFailed(delivery, attempt, waitMs))) return;
      await tell([delivery.webhook]);
      if (waitMs !== undefined) return;
      if ((await store.countGivenUp(delivery.webhook.id)) >= givenUpUntilPause) await pause(delivery.webhook);
    });

  const pause = async (webhook: ClaimedWebhook) => {
    const reason = `${givenUpUntilPause} deliveries in a row were given up.`;
    if (!(await store.pause(webhook.id, reason))) return;
    await announcePause(webhook, reason, 'Fix the receiver, then resume the webhook.');
  };

  return deliver;
};

type WebhookRef = Pick<ClaimedWebhook, 'id' | 'workspaceId'>;

const isGood = (answer: OutboundAnswer) => answer.ok && answer.status >= 200 && answer.status < 300;

const describeAnswer = (answer: OutboundAnswer) => {
  if (!answer.ok) return answer.message;
  const isRedirect = answer.status >= 300 && answer.status < 400;
  return isRedirect ? `HTTP ${answer.status}: redirects are not followed.` : `HTTP ${answer.status}`;
};
