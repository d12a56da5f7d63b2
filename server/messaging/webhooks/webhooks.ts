import {
  choosableEvents,
  type Delivery,
  type DeliveryDetails,
  mostWebhooks,
  type NewWebhook,
  type Webhook,
} from '#contracts/webhooks';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { Right } from '#server/access/auth/right';
import type { Rights } from '#server/access/auth/rights';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { badInput, notFound, Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import type { Live } from '#server/base/live/live';
import type { Outbound } from '#server/base/outbound/guarded-client';
import type { Seal } from '#server/base/secrets/seal';
import { retryDelaysMs } from './delivering.ts';
import type { Events } from './events.ts';
import { type AllowedWebhooks, beyondPlan } from './plan-limit.ts';
import { isSigned, newSecret, oldSecretPlace, secretPlace } from './signing.ts';
import type {
  DeliveryDetailsRow,
  DeliveryRow,
  DeliveryStore,
  LastDelivery,
  WebhookRow,
  WebhookStore,
} from './store.ts';
import type { TestReceiver } from './test-receiver.ts';

const oldSecretLivesMs = 24 * 3_600_000;
/** SPEC, Delivery rules 5. */
const maxShown = 50;
const retentionMs = 30 * 24 * 3_600_000;

interface WebhookChange {
  readonly url?: string | undefined;
  readonly events?: Webhook['events'] | undefined;
}

type NewTarget = Pick<Webhook, 'url' | 'events'>;

export type Webhooks = ReturnType<typeof createWebhooks>;

/** Management of webhooks by owners and admins. */
export const createWebhooks = ({
  store,
  rights,
  deliveries,
  events,
  outbound,
  seal,
  audit,
  live,
  allowedWebhooks,
  testReceiver,
  clock,
  wallClock,
}: {
  store: WebhookStore;
  rights: Rights;
  deliveries: DeliveryStore;
  events: Events;
  outbound: Outbound;
  seal: Seal;
  audit: AuditLog;
  live: Live;
  allowedWebhooks: AllowedWebhooks;
  testReceiver: TestReceiver;
  clock: Clock;
  /** Deliveries are signed with its time. */
  wallClock: Clock;
}) => {
  const mustBePublic = (url: string) => {
    const checked = outbound.checkUrl(url);
    if (!checked.ok) throw badInput({ path: 'url', code: 'BadAddress', message: `cannot be used. ${checked.message}` });
  };

  const allowedIn = async (workspaceId: string) => allowedWebhooks(await store.plan(workspaceId), workspaceId);

  const list = async ({ workspaceId }: Caller): Promise<Webhook[]> => {
    const allowed = await allowedIn(workspaceId);
    const last = new Map(
      (await store.lastDeliveries(workspaceId, retentionMs)).map(({ webhookId, ...delivery }) => [webhookId, delivery]),
    );
    return (await store.list(workspaceId)).map((row, place) => ({
      ...show(row, place < allowed ? undefined : beyondPlan(allowed), last.get(row.id)),
      ...(testReceiver.is(row) && { testReceiver: true }),
    }));
  };

  const find = async (caller: Caller, id: string) => {
    const row = (await store.list(caller.workspaceId)).find((one) => one.id === id);
    if (row === undefined) throw notFound('webhook', id);
    return row;
  };

  const get = async (caller: Caller, id: string): Promise<Webhook> => {
    const webhook = (await list(caller)).find((one) => one.id === id);
    if (webhook === undefined) throw notFound('webhook', id);
    return webhook;
  };

  const getDelivery = async ({ workspaceId }: Caller, webhookId: string, id: string): Promise<DeliveryDetails> => {
    const row = await deliveries.get(workspaceId, webhookId, id, retentionMs);
    if (row === undefined) throw notFound('delivery', id);
    return showDetails(row);
  };

  const tellTabs = ({ workspaceId }: Caller, id: string) => live.publish({ workspaceId, kind: 'webhook', id });

  const record = ({ workspaceId, userId }: Caller, event: string, details: Record<string, unknown>) =>
    audit.write({ event, workspaceId, userId, details });

  /** Also locks the workspace, so that no two callers add a webhook at once. */
  const lock = async (caller: Caller) => {
    const by = await rights.mustHold(caller);
    await store.lockWorkspace(by.workspaceId);
    return by;
  };

  /** Inside a transaction that holds the lock of the workspace. */
  const insert = async (
    caller: Caller,
    by: Right,
    id: string,
    { url, events: types }: NewTarget,
  ): Promise<NewWebhook> => {
    const { workspaceId } = by;
    const { length } = await store.list(workspaceId);
    if (length >= mostWebhooks) {
      throw new Refusal('Conflict', `A workspace has at most ${mostWebhooks} webhooks. Delete one first.`);
    }
    const allowed = await allowedIn(workspaceId);
    if (length >= allowed) throw new Refusal('PlanLimit', beyondPlan(allowed));
    const secret = newSecret();
    await store.insert(id, by, url, types, seal.seal(secret, secretPlace(id)));
    await record(caller, 'webhook.added', { id, host: hostOf(url), events: types });
    return { ...(await get(caller, id)), secret };
  };

  return {
    list,
    get,

    add: (caller: Caller, target: NewTarget): Promise<NewWebhook> =>
      store.transaction(async () => {
        mustBePublic(target.url);
        const by = await lock(caller);
        return insert(caller, by, newId('webhook', clock.now()), target);
      }),

    /** Adding it twice returns the one that the workspace already has. */
    addTestReceiver: (caller: Caller): Promise<Webhook> =>
      store.transaction(async () => {
        testReceiver.mustExist();
        const by = await lock(caller);
        const present = (await list(caller)).find((one) => one.testReceiver);
        if (present) return present;
        const id = newId('webhook', clock.now());
        const { secret: _, ...webhook } = await insert(caller, by, id, {
          url: testReceiver.urlOf(id),
          events: [...choosableEvents],
        });
        return webhook;
      }),

    /** Whether the test receiver accepts the signature of this delivery; undefined if there is no such receiver. */
    receive: async (id: string, signature: string, body: Buffer): Promise<boolean | undefined> => {
      const webhook = await store.get(id);
      if (webhook === undefined || !testReceiver.is(webhook)) return undefined;
      return isSigned(signature, body, seal.open(webhook.secret, secretPlace(id)), wallClock.now());
    },

    change: (caller: Caller, id: string, { url, events: types }: WebhookChange) =>
      store.transaction(async () => {
        const by = await rights.mustHold(caller);
        const before = await find(caller, id);
        // The form sends the address of a test receiver back unchanged, and that one is not public.
        if (url !== undefined && url !== before.url) mustBePublic(url);
        await store.change(id, by, url, types);
        await record(caller, 'webhook.changed', {
          id,
          ...(url && { host: hostOf(url) }),
          ...(types && { events: types }),
        });
        return get(caller, id);
      }),

    remove: (caller: Caller, id: string) =>
      store.transaction(async () => {
        const { workspaceId } = await rights.mustHold(caller);
        const { url } = await find(caller, id);
        await store.remove(workspaceId, id);
        await record(caller, 'webhook.deleted', { id, host: hostOf(url) });
      }),

    rotateSecret: (caller: Caller, id: string): Promise<NewWebhook> =>
      store.transaction(async () => {
        const by = await lock(caller);
        const before = seal.open((await find(caller, id)).secret, secretPlace(id));
        const secret = newSecret();
        await store.rotateSecret(
          id,
          by,
          seal.seal(secret, secretPlace(id)),
          seal.seal(before, oldSecretPlace(id)),
          oldSecretLivesMs,
        );
        await record(caller, 'webhook.secret-rotated', { id });
        return { ...(await get(caller, id)), secret };
      }),

    resume: (caller: Caller, id: string) =>
      store.transaction(async () => {
        const by = await rights.mustHold(caller);
        const { pausedAt } = await find(caller, id);
        if (pausedAt !== null) {
          await store.resume(id, by);
          await record(caller, 'webhook.resumed', { id });
          await tellTabs(caller, id);
        }
        return get(caller, id);
      }),

    test: (caller: Caller, id: string) =>
      store.transaction(async () => {
        await rights.mustHold(caller);
        const webhook = await find(caller, id);
        mustBeActive(webhook);
        return getDelivery(caller, id, await events.ping(webhook));
      }),

    deliveries: async (caller: Caller, id: string): Promise<Delivery[]> => {
      await find(caller, id);
      return (await deliveries.list(caller.workspaceId, id, maxShown, retentionMs)).map(showDelivery);
    },

    delivery: async (caller: Caller, id: string, deliveryId: string) => {
      await find(caller, id);
      return getDelivery(caller, id, deliveryId);
    },

    /** SPEC, Delivery rules 5: starts again with the first attempt. */
    resend: (caller: Caller, id: string, deliveryId: string) =>
      store.transaction(async () => {
        await rights.mustHold(caller);
        mustBeActive(await find(caller, id));
        await getDelivery(caller, id, deliveryId);
        if (!(await deliveries.resend(caller.workspaceId, id, deliveryId))) {
          throw new Refusal('Conflict', 'This delivery is being sent right now. Look at the log again in a moment.');
        }
        await record(caller, 'webhook.resent', { id, deliveryId });
        return getDelivery(caller, id, deliveryId);
      }),

    /** Removes deliveries that the log no longer shows, and old events. */
    purge: async () => (await deliveries.purge(maxShown, retentionMs)) + (await events.purge(retentionMs)),
  };
};

const mustBeActive = ({ pausedAt }: WebhookRow) => {
  if (pausedAt !== null) throw new Refusal('Conflict', 'This webhook is paused. Resume it first.');
};

const show = (row: WebhookRow, beyond: string | undefined, lastDelivery: LastDelivery | undefined): Webhook => {
  const reason = row.pauseReason ?? beyond;
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    state: row.pausedAt === null ? 'active' : 'paused',
    ...(reason !== undefined && { reason }),
    ...(row.pausedAt !== null && { pausedAt: row.pausedAt }),
    ...(row.oldSecretUntil !== null && { oldSecretUntil: row.oldSecretUntil }),
    ...(lastDelivery !== undefined && { lastDelivery }),
    createdAt: row.createdAt,
  };
};

const showDelivery = ({ lastAnswer, lastTookMs, lastTriedAt, nextTryAt, ...row }: DeliveryRow): Delivery => ({
  ...row,
  ...(lastAnswer !== null && { lastAnswer }),
  ...(lastTookMs !== null && { lastTookMs }),
  ...(lastTriedAt !== null && { lastTriedAt }),
  ...(nextTryAt !== null && { nextTryAt }),
});

const showDetails = ({ body, headers, tries, ...row }: DeliveryDetailsRow): DeliveryDetails => ({
  ...showDelivery(row),
  body,
  ...(headers !== null && { headers }),
  tries,
  ladderSeconds: [0, ...retryDelaysMs.map((ms) => ms / 1000)],
});

/** Only the host, because the rest of the address may contain a secret of the receiver. */
const hostOf = (url: string) => new URL(url).host;
