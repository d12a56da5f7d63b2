import type { Clock } from '#server/clock';
import type { Live } from '#server/live/open-tabs';
import type { Push } from '#server/messages/push';
import type { Messages } from '#server/messages/queue';
import type { Database } from '#server/store/database';
import { createChoices } from './choices.ts';
import { createNotifications } from './notifications.ts';
import { notificationRoutes } from './routes.ts';
import { createNotificationStore } from './store.ts';

export const openNotifications = ({
  database,
  messages,
  push,
  live,
  baseUrl,
  clock,
}: {
  database: Database;
  messages: Messages;
  push: Push;
  live: Live;
  baseUrl: string;
  clock: Clock;
}) => {
  const store = createNotificationStore(database);
  const notifications = createNotifications({ store, messages, live, baseUrl, clock });
  const choices = createChoices({ store, push, messages });
  return { notifications, routes: notificationRoutes({ notifications, choices }) };
};
