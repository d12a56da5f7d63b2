import { kinds, type Notification, type NotificationKind, personalKinds } from '#contracts/notifications';
import type { Role } from '#contracts/scopes';
import type { Clock } from '#server/clock';
import type { Caller } from '#server/context';
import { newId } from '#server/ids';
import type { Live } from '#server/live/open-tabs';
import { letter, oneLine } from '#server/messages/letter';
import type { Messages, NewMessage } from '#server/messages/queue';
import { fromCursor, toPage } from '#server/store/page';
import { defaultChoices } from './choices.ts';
import type { NotificationRow, NotificationStore, RecipientRow, Viewer } from './store.ts';

const dayMs = 24 * 3_600_000;
const retentionMs = 90 * dayMs;
const mailLivesMs = 2 * dayMs;
const pushLivesMs = dayMs;
const maxNeedsYou = 100;
const pageLength = 50;
const excerptLength = 140;

export interface NewNotification {
  readonly workspaceId: string;
  readonly kind: NotificationKind;
  /** The id of the post, account or card that needs a person. For a personal kind, the id of the person it is for. */
  readonly subjectId: string;
  /** Without the text of a post: it is mailed and pushed. */
  readonly title: string;
  /** For the app alone. */
  readonly detail?: string;
  /** The text of the post. */
  readonly text?: string | undefined;
  /** Of the app. */
  readonly path: string;
  /** Who caused it, and so gets no mail or push message. */
  readonly by?: string;
}

export type Notifications = ReturnType<typeof createNotifications>;

/** What people should know of, in the app and, as they choose, by mail and push message. */
export const createNotifications = ({
  store,
  messages,
  live,
  baseUrl,
  clock,
}: {
  store: NotificationStore;
  messages: Messages;
  live: Live;
  baseUrl: string;
  clock: Clock;
}) => {
  /** Mails and push messages to members who can act on it; when no role can, to all who may see it. */
  const messagesFor = (notification: NewNotification, excerpt: string | null, members: readonly RecipientRow[]) => {
    const { doneBy, seenBy, topic }: { doneBy: readonly Role[]; seenBy: readonly Role[]; topic: string } =
      kinds[notification.kind];
    const roles = doneBy.length > 0 ? doneBy : seenBy;
    const isFor = (userId: string) => !isPersonal(notification) || userId === notification.subjectId;
    const recipients = members.filter(
      ({ role, userId }) => roles.includes(role) && userId !== notification.by && isFor(userId),
    );
    return recipients.flatMap((recipient): NewMessage[] => {
      const { mail, push, pushText } = recipient.choices ?? defaultChoices;
      const has = (topics: readonly string[]) => topics.includes(topic);
      return [
        ...(has(mail) ? [mailTo(recipient, notification)] : []),
        ...(has(push) ? pushesTo(recipient, notification, pushText ? excerpt : null) : []),
      ];
    });
  };

  const mailTo = (
    { userId, email, workspace }: RecipientRow,
    { workspaceId, title, path }: NewNotification,
  ): NewMessage => ({
    purpose: 'notification',
    userId,
    workspaceId,
    livesMs: mailLivesMs,
    mail: {
      to: email,
      ...letter({
        subject: `${title} (${workspace})`,
        lines: [`${title}.`, `Workspace: ${workspace}`],
        link: { label: 'Open it in Posthorn', url: baseUrl + path },
        foot: `You get this because you chose it in Posthorn. Change that at ${baseUrl}/settings/profile#notifications`,
      }),
    },
  });

  const pushesTo = (
    { userId, workspace, browsers }: RecipientRow,
    notification: NewNotification,
    excerpt: string | null,
  ): NewMessage[] => {
    const { workspaceId, title, path, kind, subjectId } = notification;
    return browsers.map((browserId) => ({
      purpose: 'notification',
      userId,
      workspaceId,
      livesMs: pushLivesMs,
      browserId,
      push: {
        title: oneLine(title),
        body: [workspace, ...(excerpt === null ? [] : [excerpt])].map(oneLine).join('\n'),
        path,
        about: `${kinds[kind].topic} ${isPersonal(notification) ? path : subjectId}`,
        urgency: kind === 'approval.requested' ? 'high' : 'normal',
      },
    }));
  };

  return {
    /** Called inside the transaction that causes it, so that a notification is neither lost nor duplicated nor untrue. */
    tell: async (notifications: readonly NewNotification[]) => {
      if (notifications.length === 0) return;
      const now = clock.now();
      const rows = notifications.map(({ workspaceId, kind, subjectId, title, detail = '', text, path }) => {
        const id = newId('notification', now);
        return { id, workspaceId, kind, subjectId, title: oneLine(title), detail, excerpt: excerptOf(text), path };
      });
      await store.insert(rows);
      for (const id of new Set(notifications.map(({ workspaceId }) => workspaceId))) {
        const members = await store.recipients(id);
        await messages.add(
          notifications.flatMap((notification, index) =>
            notification.workspaceId === id ? messagesFor(notification, rows[index]?.excerpt ?? null, members) : [],
          ),
        );
      }
    },

    list: async (caller: Caller, { cursor }: { cursor?: string | undefined }) => {
      const viewer = viewerOf(caller);
      const after = fromCursor(cursor);
      const [needsYou, rows, { unread }] = await Promise.all([
        store.needing(viewer, maxNeedsYou),
        store.earlier(viewer, after, pageLength + 1),
        store.count(viewer),
      ]);
      const { page, ...next } = toPage(rows, pageLength);
      return { needsYou: needsYou.map(shown), earlier: page.map(shown), unread, ...next };
    },

    count: (caller: Caller) => store.count(viewerOf(caller)),

    mark: async (caller: Caller, { ids, read }: { ids?: readonly string[] | undefined; read: boolean }) => {
      const viewer = viewerOf(caller);
      await store.mark(viewer, ids, read);
      // The other tabs of this person.
      await live.publish({ workspaceId: caller.workspaceId, kind: 'notification', id: caller.userId });
      return store.count(viewer);
    },

    /** Whoever handled the subject need not read about it. Called inside the transaction that handles it. */
    seen: (caller: Caller, subjectId: string) => store.markSeen(caller, subjectId),

    purge: () => store.purge(retentionMs),
  };
};

const isPersonal = ({ kind }: NewNotification) => personalKinds.includes(kind);

const allKinds = Object.keys(kinds) as NotificationKind[];

/** By the current role, not by the one at the time of the notification. */
const viewerOf = ({ workspaceId, userId, role }: Caller): Viewer => {
  const may = (which: 'seenBy' | 'doneBy') =>
    allKinds.filter((kind) => (kinds[kind][which] as readonly Role[]).includes(role));
  return { workspaceId, userId, seen: may('seenBy'), done: may('doneBy') };
};

const shown = ({ excerpt, ...row }: NotificationRow): Notification => ({
  ...row,
  ...(excerpt !== null && { excerpt }),
});

const excerptOf = (text: string | undefined) => {
  const line = oneLine(text ?? '');
  if (line === '') return null;
  const letters = [...line];
  return letters.length <= excerptLength ? line : `${letters.slice(0, excerptLength - 1).join('')}…`;
};
