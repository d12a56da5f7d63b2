import type { Logger } from 'pino';
import type { Stopwatch } from '#server/base/clock';
import { openMessages } from '#server/messaging/messages/slice';
import type { ServiceMetrics } from '#server/operation/metrics/metrics';
import { openNotifications } from '#server/messaging/notifications/slice';
import type { Outbound } from '#server/base/outbound/guarded-client';
import type { Seal } from '#server/base/secrets/seal';
import type { AllowedWebhooks } from '#server/messaging/webhooks/plan-limit';
import { openWebhooks } from '#server/messaging/webhooks/slice';
import type { Core } from '#server/wiring/core';

export type Messaging = ReturnType<typeof wireMessaging>;

/** How people and programs are notified: mail, push messages, notifications in the app, webhooks. */
export const wireMessaging = ({
  core,
  outbound,
  ownUrl,
  seal,
  metrics,
  log,
  allowedWebhooks,
  webhookAnswerMs,
  startStopwatch,
}: {
  core: Core;
  outbound: Outbound;
  ownUrl: () => string;
  seal: Seal;
  metrics: ServiceMetrics;
  log: Logger;
  allowedWebhooks: AllowedWebhooks | undefined;
  webhookAnswerMs: number | undefined;
  startStopwatch: (() => Stopwatch) | undefined;
}) => {
  const { registry, database, config, clock, report } = core;
  const { audit } = core.audit;
  const { live } = core.live;
  const { plans } = core.plans;
  const messages = registry.open(
    'messages',
    openMessages({ database, outbound, seal, config, metrics, log, clock, report, startStopwatch }),
  );
  const notifications = registry.open(
    'notifications',
    openNotifications({ database, messages: messages.messages, push: messages.push, live, config, clock }),
  );
  const webhooks = registry.open(
    'webhooks',
    openWebhooks({
      database,
      rights: core.auth.rights,
      audit,
      notifications: notifications.notifications,
      live,
      outbound,
      ownUrl,
      config,
      seal,
      plans,
      metrics,
      clock,
      report,
      allowedWebhooks,
      answerTimeoutMs: webhookAnswerMs,
      startStopwatch,
    }),
  );
  return { messages, notifications, webhooks };
};
