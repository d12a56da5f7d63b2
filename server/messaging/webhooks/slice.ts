import type { AuditLog } from '#server/access/audit/audit-log';
import type { Rights } from '#server/access/auth/rights';
import type { Plans } from '#server/access/plans/plans';
import { type Clock, type Stopwatch, startStopwatch as startSystemStopwatch, systemClock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Live } from '#server/base/live/live';
import type { Outbound } from '#server/base/outbound/guarded-client';
import type { Seal } from '#server/base/secrets/seal';
import type { Database } from '#server/base/store/database';
import type { Notifications } from '#server/messaging/notifications/notifications';
import { createAnnouncePause } from './announce-pause.ts';
import { createDeliveries } from './deliveries.ts';
import { createDelivering } from './delivering.ts';
import { createEvents } from './events.ts';
import { createLostSecretRule } from './lost-secret.ts';
import type { DeliveryMetrics } from './metrics.ts';
import type { AllowedWebhooks } from './plan-limit.ts';
import { webhookRoutes } from './routes.ts';
import { createDeliveryStore, createEventStore, createWebhookStore } from './store.ts';
import { createTestReceiver } from './test-receiver.ts';
import { createWebhooks } from './webhooks.ts';

export const openWebhooks = ({
  database,
  rights,
  audit,
  notifications,
  live,
  outbound,
  ownUrl,
  config: { baseUrl, production },
  seal,
  plans,
  allowedWebhooks = plans.webhooks,
  answerTimeoutMs = 10_000,
  startStopwatch = () => startSystemStopwatch(),
  metrics: { deliveries: metrics },
  clock,
  report,
}: {
  database: Database;
  rights: Rights;
  audit: AuditLog;
  notifications: Notifications;
  live: Live;
  outbound: Outbound;
  ownUrl: () => string;
  config: Pick<Config, 'baseUrl' | 'production'>;
  seal: Seal;
  plans: Plans;
  /** For tests: how many webhooks may be active, instead of what the plan says. */
  allowedWebhooks?: AllowedWebhooks | undefined;
  /** For tests: how long a receiver may take to answer. */
  answerTimeoutMs?: number | undefined;
  /** For tests, which move time. */
  startStopwatch?: (() => Stopwatch) | undefined;
  metrics: { readonly deliveries: DeliveryMetrics };
  clock: Clock;
  report: (error: unknown) => void;
}) => {
  const webhookStore = createWebhookStore(database);
  const deliveryStore = createDeliveryStore(database);
  const announcePause = createAnnouncePause({ store: deliveryStore, audit, notifications, live });
  const events = createEvents({ store: createEventStore(database), clock });
  const testReceiver = createTestReceiver({ baseUrl, production, ownUrl });
  const webhooks = createWebhooks({
    live,
    outbound,
    seal,
    allowedWebhooks,
    testReceiver,
    store: webhookStore,
    rights,
    audit,
    deliveries: deliveryStore,
    events,
    clock,
    wallClock: systemClock,
  });
  // A receiver compares the time of the signature with its own clock, which the sandbox does not move.
  const deliver = createDelivering({
    live,
    outbound,
    testReceiver,
    seal,
    allowedWebhooks,
    store: deliveryStore,
    announcePause,
    metrics,
    clock: systemClock,
    answerTimeoutMs,
  });
  return {
    events,
    webhooks,
    heldDeliveries: {
      endHeld: (ids: readonly string[]) =>
        deliveryStore.endHeld(ids, 'Not sent: Posthorn was restored from a backup, and may have delivered it before.'),
    },
    loops: { deliveries: createDeliveries({ store: deliveryStore, deliver, startStopwatch, report }) },
    chores: { 'remove old deliveries and events': { every: '1 hour', run: webhooks.purge } },
    discards: {
      'webhooks.secret': createLostSecretRule({ store: webhookStore, announcePause, seal }),
      'webhooks.old_secret': webhookStore.dropOldSecret,
    },
    routes: webhookRoutes({ webhooks }),
    close: testReceiver.close,
  };
};
