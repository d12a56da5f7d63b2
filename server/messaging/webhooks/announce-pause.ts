import type { AuditLog } from '#server/access/audit/audit-log';
import type { Live } from '#server/base/live/live';
import type { Notifications } from '#server/messaging/notifications/notifications';
import type { DeliveryStore, PausedWebhook } from './store.ts';

export type AnnouncePause = ReturnType<typeof createAnnouncePause>;

/** Ends pending deliveries of a webhook and notifies people, in the transaction that pauses it. */
export const createAnnouncePause =
  ({
    store,
    audit,
    notifications,
    live,
  }: {
    store: DeliveryStore;
    audit: AuditLog;
    notifications: Notifications;
    live: Live;
  }) =>
  async ({ id, workspaceId, url }: PausedWebhook, reason: string, advice: string) => {
    await store.endPending(workspaceId, id, `Not sent: the webhook was paused. ${reason}`);
    await audit.write({ event: 'webhook.paused', workspaceId, details: { id, reason } });
    await notifications.tell([
      {
        workspaceId,
        kind: 'webhook.paused',
        subjectId: id,
        title: `The webhook to ${new URL(url).host} was paused`,
        detail: `${reason} Events since then are not kept for it. ${advice}`,
        path: `/settings/webhooks/${id}`,
      },
    ]);
    await live.publish({ workspaceId, kind: 'webhook', id, text: 'A webhook was paused.' });
  };
