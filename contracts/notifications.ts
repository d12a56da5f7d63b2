import { z } from 'zod';
import { appRoute, byId, CanonicalInstant, Cursor, Done, Id, type Route } from './define.ts';
import { admins, editors, everyone, type Role } from './scopes.ts';

/** What people choose by, for mail and for push messages. */
export const topics = ['requests', 'posts', 'accounts', 'webhooks', 'people', 'personal'] as const;
export type Topic = (typeof topics)[number];

interface Kind {
  readonly topic: Topic;
  readonly seenBy: readonly Role[];
  /** Who can do what it asks for, and is told outside the app. Empty: it asks for nothing, and tells all who see it. */
  readonly doneBy: readonly Role[];
  /** For one person alone, who is its subject. */
  readonly personal?: true;
  /** Only for those whose own click publishes: where approvers alone publish, other editors cannot decide. */
  readonly forApprovers?: true;
}

/** Everything that becomes a notification. */
export const kinds = {
  'approval.requested': { topic: 'requests', seenBy: editors, doneBy: editors, forApprovers: true },
  'approval.approved': { topic: 'personal', seenBy: everyone, doneBy: [], personal: true },
  'approval.rejected': { topic: 'personal', seenBy: everyone, doneBy: [], personal: true },
  'post.failed': { topic: 'posts', seenBy: everyone, doneBy: editors },
  'post.uncertain': { topic: 'posts', seenBy: everyone, doneBy: editors },
  'post.forecast': { topic: 'posts', seenBy: everyone, doneBy: editors },
  'account.reconnect': { topic: 'accounts', seenBy: everyone, doneBy: admins },
  'webhook.paused': { topic: 'webhooks', seenBy: admins, doneBy: admins },
  'member.joined': { topic: 'people', seenBy: admins, doneBy: [] },
  'workspace.deletion': { topic: 'people', seenBy: everyone, doneBy: [] },
  'comment.mentioned': { topic: 'personal', seenBy: everyone, doneBy: [], personal: true },
  'review.advice': { topic: 'personal', seenBy: everyone, doneBy: [], personal: true },
  'import.finished': { topic: 'personal', seenBy: everyone, doneBy: [], personal: true },
} as const satisfies Record<string, Kind>;
export type NotificationKind = keyof typeof kinds;

/** Home shows these while they wait for somebody. */
export const kindsOnHome = [
  'approval.requested',
  'post.failed',
  'post.uncertain',
  'post.forecast',
  'account.reconnect',
] as const;

const allKinds = Object.keys(kinds) as NotificationKind[];
export const personalKinds = allKinds.filter((kind) => 'personal' in kinds[kind]);
export const kindsForApprovers = allKinds.filter((kind) => 'forApprovers' in kinds[kind]);

const inOrder = (chosen: readonly Topic[]): Topic[] => topics.filter((topic) => chosen.includes(topic));
const ByMail = z.array(z.enum(topics)).describe('Topics that are mailed to you');
const ByPush = z.array(z.enum(topics)).describe('Topics that are sent to your browsers');
const PushText = z.boolean().describe('Whether push messages show the beginning of the post');

export const Notification = z
  .object({
    id: z.string().describe('Notification id, prefix `ntf_`'),
    kind: z.enum(Object.keys(kinds) as NotificationKind[]).describe('What it is about; a new release may have more'),
    title: z.string().describe('What happened'),
    detail: z.string().describe('What it means, and what to do; may be empty'),
    excerpt: z.string().optional().describe('The beginning of the post it is about'),
    path: z.string().describe('The page of the app that deals with it'),
    needsYou: z.boolean().describe('Whether it waits for a person, and you are one who can do it'),
    read: z.boolean().describe('Whether you have read it'),
    createdAt: CanonicalInstant,
  })
  .meta({ id: 'Notification', description: 'Something that the user should know' });
export type Notification = z.output<typeof Notification>;

const NotificationCount = z
  .object({
    unread: z.int().describe('Those that you have not read'),
    needsYou: z.int().describe('Those that wait for you'),
    news: z.int().describe('Unread ones that Home does not show; several about one subject count once'),
    approvals: z.int().describe('Approval cards that wait for a decision'),
  })
  .meta({ id: 'NotificationCount', description: 'How many notifications there are for you in the open workspace' });

const PushBrowser = z
  .object({
    id: z.string().describe('Id of its subscription, prefix `brw_`'),
    browser: z.string().describe('Such as `Firefox on Linux`'),
    since: CanonicalInstant,
    current: z.boolean().describe('True for the browser that asks'),
  })
  .meta({ id: 'PushBrowser', description: 'A browser that push messages go to, while you are signed in with it' });

const NotificationChoices = z
  .object({
    mail: ByMail,
    push: ByPush,
    pushText: PushText,
    mailOffered: z.boolean().describe('False while the operator has not set SMTP_URL'),
    pushKey: z.string().describe('Public VAPID key, for the browser'),
    browsers: z.array(PushBrowser).describe('The newest first'),
  })
  .meta({ id: 'NotificationChoices', description: 'What is sent to you outside the app; the same in all workspaces' });

/** As `PushSubscription.toJSON()` of a browser gives it. */
const PushSubscription = z.strictObject({
  endpoint: z.string().max(2048).describe('https address on the public internet'),
  keys: z
    .strictObject({
      p256dh: z
        .string()
        .regex(/^[\w-]{86,88}=?$/, 'must be a P-256 public key in base64url')
        .describe('Public key of the browser on P-256, in base64url'),
      auth: z
        .string()
        .regex(/^[\w-]{21,24}={0,2}$/, 'must be 16 bytes in base64url')
        .describe('Its secret of 16 bytes, in base64url'),
    })
    .describe('Keys that messages are encrypted with (RFC 8291)'),
});

export const notificationRoutes = {
  listNotifications: appRoute({
    method: 'GET',
    path: '/api/app/notifications',
    tag: 'Notifications',
    summary: 'Read notifications',
    description:
      'Of the open workspace, newest first: up to 100 that wait for you, and a page of the others. What your role may not see is left out, and so is what is for another person alone. They are kept for 90 days.',
    roles: everyone,
    query: z.strictObject({ cursor: Cursor }),
    answer: z.object({
      needsYou: z.array(Notification).describe('Those that wait for you; the same on every page'),
      earlier: z.array(Notification).describe('A page of the others'),
      unread: NotificationCount.shape.unread,
      nextCursor: z.string().optional().describe('When there are more of the others'),
    }),
  }),

  countNotifications: appRoute({
    method: 'GET',
    path: '/api/app/notifications/count',
    tag: 'Notifications',
    summary: 'Count notifications',
    description: 'How many you have not read, how many wait for you, and how many approval cards are open.',
    roles: everyone,
    answer: NotificationCount,
  }),

  markNotifications: appRoute({
    method: 'POST',
    path: '/api/app/notifications/mark',
    tag: 'Notifications',
    summary: 'Mark as read or unread',
    description: 'For you alone; without `ids` all that you may see in this workspace.',
    roles: everyone,
    body: z.strictObject({
      ids: z.array(Id).max(200).optional().describe('Those to mark'),
      read: z.boolean().describe('False marks them as unread'),
    }),
    answer: NotificationCount,
  }),

  getNotificationChoices: appRoute({
    method: 'GET',
    path: '/api/app/notification-choices',
    tag: 'Notifications',
    summary: 'Read your notification settings',
    description: 'What is sent by mail and by push message, and the browsers that get those.',
    answer: NotificationChoices,
  }),

  changeNotificationChoices: appRoute({
    method: 'PATCH',
    path: '/api/app/notification-choices',
    tag: 'Notifications',
    summary: 'Change your notification settings',
    description: 'Fields left out stay as they are. Invitations and forgotten passwords are always mailed.',
    body: z.strictObject({
      mail: ByMail.transform(inOrder).optional(),
      push: ByPush.transform(inOrder).optional(),
      pushText: PushText.optional(),
    }),
    answer: NotificationChoices,
  }),

  addPushBrowser: appRoute({
    method: 'POST',
    path: '/api/app/push-browsers',
    tag: 'Notifications',
    summary: 'Send push messages to this browser',
    description: 'Takes the subscription that the browser made. It ends when you sign out there.',
    body: PushSubscription,
    answer: NotificationChoices,
  }),

  removePushBrowser: appRoute({
    method: 'DELETE',
    path: '/api/app/push-browsers/:id',
    tag: 'Notifications',
    summary: 'Stop push messages to a browser',
    description: 'Messages that wait for it are not sent.',
    params: byId('Id of the browser, see getNotificationChoices'),
    answer: Done,
    more: ['NotFound'],
  }),
} as const satisfies Record<string, Route>;
export type NotificationRoutes = typeof notificationRoutes;
