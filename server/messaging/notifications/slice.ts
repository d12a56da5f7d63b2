import type { Clock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Live } from '#server/base/live/live';
import type { Database } from '#server/base/store/database';
import type { Messages } from '#server/messaging/messages/messages';
import type { Push } from '#server/messaging/messages/push';
import { createChoices } from './choices.ts';
import { createNotifications } from './notifications.ts';
import { notificationRoutes } from './routes.ts';
import { createNotificationStore } from './store.ts';

export const openNotifications = ({
  database,
  messages,
  push,
  live,
  config: { baseUrl },
  clock,
}: {
  database: Database;
  messages: Messages;
  push: Push;
  live: Live;
  config: Config;
  clock: Clock;
}) => {
  const store = createNotificationStore(database);
  const notifications = createNotifications({ store, messages, live, baseUrl, clock });
  const choices = createChoices({ store, push, messages });
  return {
    notifications,
    forgetPerson: store.forgetChoices,
    chores: { 'remove old notifications': { every: '1 day', run: notifications.purge } },
    routes: notificationRoutes({ notifications, choices }),
  };
};
