import type { AuditLog } from '#server/audit/audit-log';
import { createBatch } from '#server/batch';
import type { Clock } from '#server/clock';
import type { Live } from '#server/live/live';
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

export type Deliver = ReturnType<typeof createDelivering>;

/** One try of a delivery: prepare → call → delivered or failed. Answers false when the receiver did not do its part. */
export const createDelivering = ({
  store,
  audit,
  live,
  outbound,
  seal,
  allowedWebhooks,
  clock,
  answerTimeoutMs,
}: {
  store: DeliveryStore;
  audit: AuditLog;
  live: Live;
  outbound: Outbound;
  seal: Seal;
  allowedWebhooks: AllowedWebhooks;
  /** The one on the wall, as the receiver compares with its own. */
  clock: Clock;
  answerTimeoutMs: number;
}) => {
  const saveDelivered = createBatch(
    async (delivered: readonly (Parameters<DeliveryStore['saveDelivered']>[0][number] & ToldWebhook)[]) => {
      await store.saveDelivered(delivered);
      await tell(delivered);
      return delivered;
    },
  );

  /** Once for each webhook, however many deliveries there were. */
  const tell = (webhooks: readonly ToldWebhook[]) => {
    const workspaces = new Map(webhooks.map(({ webhookId, workspaceId }) => [webhookId, workspaceId]));
    return live.tell(...[...workspaces].map(([id, workspaceId]) => ({ workspaceId, kind: 'webhook' as const, id })));
  };

  const deliver = async (delivery: ClaimedDelivery): Promise<boolean> => {
    const refusal = await whyNot(delivery);
    if (refusal !== undefined) {
      await store.saveFailed(delivery, refusal, 0, undefined);
      await tell([delivery]);
      return true;
    }
    const answer = await call(delivery);
    if (isGood(answer)) {
      const { id, claim, webhookId, workspaceId } = delivery;
      await saveDelivered({ id, claim, webhookId, workspaceId, answer: wordsFor(answer) });
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

  const call = ({ url, webhookId, secret, oldSecret, ...delivery }: ClaimedDelivery) => {
    const body = Buffer.from(delivery.body);
    const secrets = [
      seal.open(secret, secretPlace(webhookId)),
      ...(oldSecret === null ? [] : [seal.open(oldSecret, oldSecretPlace(webhookId))]),
    ];
    const headers = deliveryHeaders({ ...delivery, body }, secrets, clock.now());
    const how = { timeoutMs: answerTimeoutMs, maxBytes: 0, keptConnection: true };
    return outbound.request(url, { method: 'POST', headers, body, ...how });
  };

  const failed = (delivery: ClaimedDelivery, answer: OutboundAnswer) =>
    store.transaction(async () => {
      const isGone = answer.ok && answer.status === 410;
      const waitMs = isGone ? undefined : waitAfter(delivery.attempts, retryAfterMs(answer));
      if (!(await store.saveFailed(delivery, wordsFor(answer), 1, waitMs))) return;
      await tell([delivery]);
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
    await live.tell({ workspaceId, kind: 'webhook', id: webhookId, text: `A webhook was paused. ${reason}` });
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

type ToldWebhook = Pick<ClaimedDelivery, 'webhookId' | 'workspaceId'>;

const isGood = (answer: OutboundAnswer) => answer.ok && answer.status >= 200 && answer.status < 300;

const wordsFor = (answer: OutboundAnswer) => {
  if (!answer.ok) return answer.message;
  const isRedirect = answer.status >= 300 && answer.status < 400;
  return isRedirect ? `HTTP ${answer.status}: redirects are not followed.` : `HTTP ${answer.status}`;
};
