import {
  kinds,
  kindsForApprovers,
  type Notification,
  type NotificationKind,
  personalKinds,
} from '#contracts/notifications';
import type { Role } from '#contracts/scopes';
import { dayMs } from '#contracts/time';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { newId } from '#server/base/ids';
import type { Live } from '#server/base/live/live';
import { shorten } from '#server/base/shorten';
import { fromCursor, toPage } from '#server/base/store/page';
import { letter, oneLine } from '#server/messaging/messages/letter';
import type { Messages, NewMessage } from '#server/messaging/messages/messages';
import { defaultChoices } from './choices.ts';
import type { NotificationRow, NotificationStore, RecipientRow, Viewer } from './store.ts';

const burstMs = 10 * 60_000;
/** Agents take seconds for each request, so wait this long for the rest of a burst. */
const restOfBurstMs = 20_000;
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
  /** Must not contain the text of a post, because it is mailed and pushed. */
  readonly title: string;
  /** A person's words, mailed and pushed with the title. */
  readonly quote?: string | undefined;
  /** Shown only in the app. */
  readonly detail?: string;
  /** The text of the post. */
  readonly text?: string | undefined;
  /** A path in the app. */
  readonly path: string;
  /** Who caused it, and so gets no mail or push message. */
  readonly by?: string;
  /** A later message with the same `about` replaces it. Default: the subject. */
  readonly about?: string;
  /** How long mails and push messages wait before they are sent. */
  readonly delayMs?: number;
}

export type Notifications = ReturnType<typeof createNotifications>;

/** Notifies people in the app and, as they choose, by mail and push message. */
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
    const isFor = ({ userId, canPublish }: RecipientRow) =>
      (!isPersonal(notification) || userId === notification.subjectId) &&
      (canPublish || !kindsForApprovers.includes(notification.kind));
    const recipients = members.filter(
      (member) => roles.includes(member.role) && member.userId !== notification.by && isFor(member),
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
    { workspaceId, title, quote, path, ...rest }: NewNotification,
  ): NewMessage => ({
    purpose: 'notification',
    userId,
    workspaceId,
    livesMs: mailLivesMs,
    about: aboutOf({ path, ...rest }),
    delayMs: rest.delayMs,
    mail: {
      to: email,
      ...letter({
        subject: `${title} (${workspace})`,
        lines: [`${title}.`, ...(quote ? [`“${quote}”`] : []), `Workspace: ${workspace}`],
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
    const { workspaceId, title, quote, path, kind, delayMs } = notification;
    const about = aboutOf(notification);
    return browsers.map((browserId) => ({
      purpose: 'notification',
      userId,
      workspaceId,
      livesMs: pushLivesMs,
      browserId,
      about,
      delayMs,
      push: {
        title: oneLine(title),
        body: [workspace, ...(quote ? [`“${quote}”`] : []), ...(excerpt === null ? [] : [excerpt])]
          .map(oneLine)
          .join('\n'),
        path,
        about,
        urgency: kind === 'approval.requested' ? 'high' : 'normal',
      },
    }));
  };

  const toRow = ({ workspaceId, kind, subjectId, title, detail = '', text, path }: NewNotification) => {
    return { workspaceId, kind, subjectId, title: oneLine(title), detail, excerpt: excerptOf(text), path };
  };

  const tell = async (notifications: readonly NewNotification[]) => {
    if (notifications.length === 0) return;
    const now = clock.now();
    const rows = notifications.map((notification) => ({ id: newId('notification', now), ...toRow(notification) }));
    await store.insert(rows);
    for (const id of new Set(notifications.map(({ workspaceId }) => workspaceId))) {
      const members = await store.recipients(id);
      await messages.add(
        notifications.flatMap((notification, index) =>
          notification.workspaceId === id ? messagesFor(notification, rows[index]?.excerpt ?? null, members) : [],
        ),
      );
    }
  };

  return {
    tell,

    /**
     * For bursts: `notification` describes the whole burst, and replaces the one of the last ten minutes about the same
     * subject. Its mails and push messages wait a moment for the rest of the burst, and are sent once.
     */
    tellInBurst: async (notification: NewNotification, { isFirst }: { isFirst: boolean }) => {
      const delayed = { ...notification, delayMs: restOfBurstMs };
      const row = toRow(notification);
      if (isFirst || !(await store.renew(row, burstMs))) return tell([delayed]);
      const { workspaceId } = notification;
      const renewed = messagesFor(delayed, row.excerpt, await store.recipients(workspaceId));
      await messages.replaceWaiting(workspaceId, aboutOf(notification), renewed);
    },

    /** Drops waiting mails and push messages, because nobody needs to act any more. */
    dropWaiting: (notification: Pick<NewNotification, 'workspaceId' | 'kind' | 'subjectId' | 'path'>) =>
      messages.dropWaiting(notification.workspaceId, aboutOf(notification)),

    /** Changes the title of the latest notification about the subject. Nobody is notified again. */
    retitle: async ({ workspaceId, kind, subjectId, title }: Omit<NewNotification, 'path'>) => {
      await store.retitle(workspaceId, kind, subjectId, title);
    },

    /** Withdraws a notification that is no longer true. Mails and push messages that were sent stay. */
    recall: async (notification: Pick<NewNotification, 'workspaceId' | 'kind' | 'subjectId' | 'path'>) => {
      const { workspaceId, kind, path } = notification;
      await messages.dropWaiting(workspaceId, aboutOf(notification));
      await store.recall(workspaceId, kind, path);
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
      // Updates the other tabs of this person.
      await live.publish({ workspaceId: caller.workspaceId, kind: 'notification', id: caller.userId });
      return store.count(viewer);
    },

    /** Marks the subjects as read for whoever handled them. Call inside the transaction that handles them. */
    seen: (caller: Caller, ...subjectIds: string[]) => store.markSeen(caller, subjectIds),

    purge: () => store.purge(retentionMs),
  };
};

const isPersonal = ({ kind }: Pick<NewNotification, 'kind'>) => personalKinds.includes(kind);

const aboutOf = (notification: Pick<NewNotification, 'kind' | 'subjectId' | 'path' | 'about'>) => {
  const { kind, subjectId, path, about = isPersonal(notification) ? `${subjectId} ${path}` : subjectId } = notification;
  return `${kinds[kind].topic} ${about}`;
};

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
  return line === '' ? null : shorten(line, excerptLength);
};
