import { kinds, type Notification, type NotificationKind, personalKinds } from '#contracts/notifications';
import type { Role } from '#contracts/scopes';
import type { Clock } from '#server/clock';
import type { Caller } from '#server/context';
import { newId } from '#server/ids';
import type { Live } from '#server/live/open-tabs';
import { letter, oneLine } from '#server/messages/letter';
import type { Messages, NewMessage } from '#server/messages/queue';
import { fromCursor, toPage } from '#server/store/page';
import { proposed } from './choices.ts';
import type { Looking, NotificationRow, NotificationStore, RecipientRow } from './store.ts';

const dayMs = 24 * 3_600_000;
const keptMs = 90 * dayMs;
const mailLivesMs = 2 * dayMs;
const pushLivesMs = dayMs;
const mostNeeding = 100;
const pageLength = 50;
const excerptLength = 140;

export interface Happening {
  readonly workspaceId: string;
  readonly kind: NotificationKind;
  /** What it is about: it needs a person until that is done. Of a personal kind: whom it is for. */
  readonly subjectId: string;
  /** Without the text of a post: it is mailed and pushed. */
  readonly title: string;
  /** For the app alone. */
  readonly detail?: string;
  /** The text of the post. */
  readonly text?: string | undefined;
  /** Of the app. */
  readonly path: string;
  /** Who did it, and need not be told outside the app. */
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
  /** To members who can do something about it; when nobody can, to all who may see it. */
  const outside = (happening: Happening, excerpt: string | null, members: readonly RecipientRow[]) => {
    const { doneBy, seenBy, topic }: { doneBy: readonly Role[]; seenBy: readonly Role[]; topic: string } =
      kinds[happening.kind];
    const roles = doneBy.length > 0 ? doneBy : seenBy;
    const isFor = (userId: string) => !isPersonal(happening) || userId === happening.subjectId;
    const told = members.filter(({ role, userId }) => roles.includes(role) && userId !== happening.by && isFor(userId));
    return told.flatMap((recipient): NewMessage[] => {
      const { mail, push, pushText } = recipient.choices ?? proposed;
      const has = (chosen: readonly string[]) => chosen.includes(topic);
      return [
        ...(has(mail) ? [mailTo(recipient, happening)] : []),
        ...(has(push) ? pushesTo(recipient, happening, pushText ? excerpt : null) : []),
      ];
    });
  };

  const mailTo = ({ userId, email, workspace }: RecipientRow, { workspaceId, title, path }: Happening): NewMessage => ({
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
    happening: Happening,
    excerpt: string | null,
  ): NewMessage[] => {
    const { workspaceId, title, path, kind, subjectId } = happening;
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
        about: `${kinds[kind].topic} ${isPersonal(happening) ? path : subjectId}`,
        urgency: kind === 'approval.requested' ? 'high' : 'normal',
      },
    }));
  };

  return {
    /** Called inside the transaction of what happened, so that none is lost, invented or told twice. */
    tell: async (happened: readonly Happening[]) => {
      if (happened.length === 0) return;
      const now = clock.now();
      const rows = happened.map(({ workspaceId, kind, subjectId, title, detail = '', text, path }) => {
        const id = newId('notification', now);
        return { id, workspaceId, kind, subjectId, title: oneLine(title), detail, excerpt: excerptOf(text), path };
      });
      await store.insert(rows);
      for (const id of new Set(happened.map(({ workspaceId }) => workspaceId))) {
        const members = await store.recipients(id);
        await messages.add(
          happened.flatMap((happening, index) =>
            happening.workspaceId === id ? outside(happening, rows[index]?.excerpt ?? null, members) : [],
          ),
        );
      }
    },

    list: async (caller: Caller, { cursor }: { cursor?: string | undefined }) => {
      const looking = lookingAs(caller);
      const after = fromCursor(cursor);
      const [needsYou, rows, { unread }] = await Promise.all([
        store.needing(looking, mostNeeding),
        store.earlier(looking, after, pageLength + 1),
        store.count(looking),
      ]);
      const { page, ...next } = toPage(rows, pageLength);
      return { needsYou: needsYou.map(shown), earlier: page.map(shown), unread, ...next };
    },

    count: (caller: Caller) => store.count(lookingAs(caller)),

    mark: async (caller: Caller, { ids, read }: { ids?: readonly string[] | undefined; read: boolean }) => {
      const looking = lookingAs(caller);
      await store.mark(looking, ids, read);
      // The other tabs of this person.
      await live.publish({ workspaceId: caller.workspaceId, kind: 'notification', id: caller.userId });
      return store.count(looking);
    },

    /** Whoever does what it is about need not be told of it any more. Inside the transaction of that. */
    seen: (caller: Caller, subjectId: string) => store.markSeen(caller, subjectId),

    purge: () => store.purge(keptMs),
  };
};

const isPersonal = ({ kind }: Happening) => personalKinds.includes(kind);

const allKinds = Object.keys(kinds) as NotificationKind[];

/** Their role as it is now, whatever it was when it happened. */
const lookingAs = ({ workspaceId, userId, role }: Caller): Looking => {
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
