import type { Logger } from 'pino';
import type { Access } from '#server/access/open';
import type { Stopwatch } from '#server/base/clock';
import type { Outbound } from '#server/base/outbound/guarded-client';
import type { Seal } from '#server/base/secrets/seal';
import { openMessages } from '#server/messaging/messages/slice';
import { openNotifications } from '#server/messaging/notifications/slice';
import type { AllowedWebhooks } from '#server/messaging/webhooks/plan-limit';
import { openWebhooks } from '#server/messaging/webhooks/slice';

export type Messaging = ReturnType<typeof openMessaging>;

/** How people and programs are notified: mail, push messages, notifications in the app, webhooks. */
export const openMessaging = ({
  access,
  outbound,
  ownUrl,
  seal,
  metrics,
  log,
  allowedWebhooks,
  webhookAnswerMs,
  startStopwatch,
}: {
  access: Access;
  outbound: Outbound;
  ownUrl: () => string;
  seal: Seal;
  metrics: Parameters<typeof openMessages>[0]['metrics'] & Parameters<typeof openWebhooks>[0]['metrics'];
  log: Logger;
  allowedWebhooks: AllowedWebhooks | undefined;
  webhookAnswerMs: number | undefined;
  startStopwatch: (() => Stopwatch) | undefined;
}) => {
  const { registry, database, config, clock, report } = access;
  const { audit } = access.audit;
  const { live } = access.live;
  const { plans } = access.plans;
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
      rights: access.auth.rights,
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
