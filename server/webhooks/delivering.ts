import type { AuditLog } from '#server/audit/audit-log';
import { createBatch } from '#server/batch';
import type { Clock } from '#server/clock';
import type { Outbound, OutboundAnswer } from '#server/outbound/outbound';
import type { Seal } from '#server/seal';
import { type AllowedWebhooks, beyondPlan } from './plan-limit.ts';
import { deliveryHeaders, oldSecretPlace, secretPlace } from './signing.ts';
import type { ClaimedDelivery, DeliveryStore } from './store.ts';

const minuteMs = 60_000;
/** SPEC, Delivery rules 2: the wait after the first try, the second, …; after the last it is given up. */
const ladderMs = [1, 5, 30, 2 * 60, 6 * 60, 12 * 60, 24 * 60].map((minutes) => minutes * minuteMs);
/** A receiver that asks for more time is not waited for longer than the ladder's last step. */
const longestWaitMs = 24 * 60 * minuteMs;
/** SPEC, Delivery rules 4. */
const givenUpUntilPause = 10;

/** Ours to send for as long as the lease is sure to hold. */
export interface HeldDelivery extends ClaimedDelivery {
  mayBegin(): boolean;
}

export type Deliver = ReturnType<typeof createDelivering>;

/** One try of a delivery: prepare → call → delivered or failed. Answers false when the receiver did not do its part. */
export const createDelivering = ({
  store,
  audit,
  outbound,
  seal,
  allowedWebhooks,
  clock,
  answerTimeoutMs,
}: {
  store: DeliveryStore;
  audit: AuditLog;
  outbound: Outbound;
  seal: Seal;
  allowedWebhooks: AllowedWebhooks;
  /** The one on the wall, as the receiver compares with its own. */
  clock: Clock;
  answerTimeoutMs: number;
}) => {
  const saveDelivered = createBatch(async (delivered: Parameters<DeliveryStore['saveDelivered']>[0]) => {
    await store.saveDelivered(delivered);
    return delivered;
  });

  const deliver = async (delivery: HeldDelivery): Promise<boolean> => {
    const refusal = await whyNot(delivery);
    if (refusal !== undefined) {
      await store.saveFailed(delivery, refusal, 0, undefined);
      return true;
    }
    const answer = await call(delivery);
    // Nothing was sent: it is due again when the lease ends, here or elsewhere.
    if (!answer.ok && answer.reason === 'late') return true;
    if (isGood(answer)) {
      await saveDelivered({ id: delivery.id, claim: delivery.claim, answer: wordsFor(answer) });
      return true;
    }
    await failed(delivery, answer);
    return false;
  };

  /** What ends a delivery without a request. */
  const whyNot = async ({ paused, workspaceId, older }: ClaimedDelivery) => {
    if (paused) return 'Not sent: the webhook was paused.';
    const allowed = await allowedWebhooks(workspaceId);
    return older < allowed ? undefined : `Not sent. ${beyondPlan(allowed)}`;
  };

  const call = ({ url, webhookId, secret, oldSecret, mayBegin, ...delivery }: HeldDelivery) => {
    const body = Buffer.from(delivery.body);
    const secrets = [
      seal.open(secret, secretPlace(webhookId)),
      ...(oldSecret === null ? [] : [seal.open(oldSecret, oldSecretPlace(webhookId))]),
    ];
    const headers = deliveryHeaders({ ...delivery, body }, secrets, clock.now());
    const how = { timeoutMs: answerTimeoutMs, maxBytes: 0, keptConnection: true, guard: { mayBegin } };
    return outbound.request(url, { method: 'POST', headers, body, ...how });
  };

  const failed = (delivery: ClaimedDelivery, answer: OutboundAnswer) =>
    store.transaction(async () => {
      const isGone = answer.ok && answer.status === 410;
      const waitMs = isGone ? undefined : waitAfter(delivery.attempts, retryAfterMs(answer));
      if (!(await store.saveFailed(delivery, wordsFor(answer), 1, waitMs))) return;
      if (waitMs !== undefined) return;
      const inARow = await store.countGivenUp(delivery.webhookId);
      if (isGone) await pause(delivery, 'The receiver answered 410: it wants no more deliveries.');
      else if (inARow >= givenUpUntilPause) {
        await pause(delivery, `${givenUpUntilPause} deliveries in a row were given up.`);
      }
    });

  const pause = async ({ webhookId, workspaceId }: ClaimedDelivery, reason: string) => {
    if (!(await store.pause(webhookId, reason))) return;
    await store.endPending(webhookId, `Not sent: the webhook was paused. ${reason}`);
    await audit.write({ event: 'webhook.paused', workspaceId, details: { id: webhookId, reason } });
  };

  /** Never earlier than the ladder says. */
  const waitAfter = (attempts: number, askedMs: number) => {
    const stepMs = ladderMs[attempts];
    return stepMs && Math.max(stepMs, Math.min(askedMs, longestWaitMs));
  };

  /** Seconds or a date. */
  const retryAfterMs = (answer: OutboundAnswer) => {
    const text = answer.ok ? String(answer.headers['retry-after'] ?? '') : '';
    const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - clock.now().getTime();
    return Number.isNaN(ms) ? 0 : ms;
  };

  return deliver;
};

const isGood = (answer: OutboundAnswer) => answer.ok && answer.status >= 200 && answer.status < 300;

const wordsFor = (answer: OutboundAnswer) => {
  if (!answer.ok) return answer.message;
  const isRedirect = answer.status >= 300 && answer.status < 400;
  return isRedirect ? `HTTP ${answer.status}: redirects are not followed.` : `HTTP ${answer.status}`;
};
