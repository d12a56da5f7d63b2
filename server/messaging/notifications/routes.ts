import type { NotificationRoutes } from '#contracts/notifications';
import type { RouteHandlers } from '#server/base/context';
import type { NotificationChoices } from './choices.ts';
import type { Notifications } from './notifications.ts';

export const notificationRoutes = ({
  notifications,
  choices,
}: {
  notifications: Notifications;
  choices: NotificationChoices;
}): RouteHandlers<NotificationRoutes> => ({
  listNotifications: ({ caller, query }) => notifications.list(caller, query),
  countNotifications: ({ caller }) => notifications.count(caller),
  markNotifications: ({ caller, body }) => notifications.mark(caller, body),
  getNotificationChoices: ({ signedIn }) => choices.read(signedIn),
  changeNotificationChoices: ({ signedIn, body }) => choices.change(signedIn, body),
  addPushBrowser: ({ signedIn, body }) => choices.addBrowser(signedIn, body),
  removePushBrowser: async ({ signedIn, params }) => {
    await choices.removeBrowser(signedIn, params.id);
    return { done: true };
  },
});
