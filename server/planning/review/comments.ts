import type { Comment } from '#contracts/review';
import { admins, type Role } from '#contracts/scopes';
import { bounds } from '#server/base/bounds';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { notFound, Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import type { Reading } from '#server/writing/posts/reading';
import type { CommentRow, CommentStore, Mention } from './comment-store.ts';

/** Notifies members who are newly mentioned in a comment by somebody else. Called inside its transaction. */
export type NotifyMentioned = (
  caller: Caller,
  comment: { postId: string; author: string; userIds: readonly string[] },
) => Promise<void>;

export type Comments = ReturnType<typeof createComments>;

/** What members say to each other about a post. It never leaves the workspace. */
export const createComments = ({
  store,
  reading,
  notifyMentioned,
  clock,
}: {
  store: CommentStore;
  reading: Reading;
  notifyMentioned: NotifyMentioned;
  clock: Clock;
}) => {
  const show = (caller: Caller, row: CommentRow): Comment => ({
    id: row.id,
    author: { id: row.userId, name: row.userName },
    body: row.body,
    mentions: row.mentions,
    createdAt: row.createdAt,
    ...(row.editedAt !== null && { editedAt: row.editedAt }),
    mayEdit: row.userId === caller.userId,
    mayDelete: row.userId === caller.userId || isAdmin(caller.role),
  });

  const locked = async (caller: Caller, id: string) => {
    const row = await store.lock(caller.workspaceId, id);
    if (row === undefined) throw notFound('comment', id);
    return row;
  };

  const notify = async (caller: Caller, { postId, userName }: CommentRow, mentions: readonly Mention[]) => {
    const userIds = mentions.map((member) => member.id).filter((userId) => userId !== caller.userId);
    if (userIds.length > 0) await notifyMentioned(caller, { postId, author: userName, userIds });
  };

  return {
    list: async (caller: Caller, postId: string) => {
      await reading.get(caller, postId);
      return (await store.list(caller.workspaceId, postId)).map((row) => show(caller, row));
    },

    add: (caller: Caller, postId: string, body: string) =>
      store.transaction(async () => {
        const { workspaceId, userId } = caller;
        // Locks the post, so that concurrent comments cannot exceed the limit.
        await reading.lock(caller, postId);
        if ((await store.count(workspaceId, postId)) >= bounds.comments) {
          throw new Refusal(
            'Conflict',
            `This post has ${bounds.comments} comments already. Delete some of them first.`,
          );
        }
        const id = newId('comment', clock.now());
        const mentions = mentionsIn(body, await store.members(workspaceId));
        await store.insert(id, { postId, workspaceId, userId, body, mentions });
        const row = await locked(caller, id);
        await notify(caller, row, mentions);
        return show(caller, row);
      }),

    edit: (caller: Caller, id: string, body: string) =>
      store.transaction(async () => {
        const before = await locked(caller, id);
        if (before.userId !== caller.userId) throw new Refusal('Forbidden', 'Only its author can change a comment.');
        const mentions = mentionsIn(body, await store.members(caller.workspaceId));
        await store.change(caller.workspaceId, id, body, mentions);
        const isNew = (member: Mention) => before.mentions.every(({ id }) => id !== member.id);
        await notify(caller, before, mentions.filter(isNew));
        return show(caller, await locked(caller, id));
      }),

    remove: (caller: Caller, id: string) =>
      store.transaction(async () => {
        const row = await locked(caller, id);
        if (row.userId !== caller.userId && !isAdmin(caller.role)) {
          throw new Refusal('Forbidden', 'Only its author, an owner or an admin can delete a comment.');
        }
        await store.remove(caller.workspaceId, id);
      }),

    /** JSON of all comments of the post, for `putBack` when it is restored. */
    copyRows: ({ workspaceId }: Caller, postId: string) => store.copyRows(workspaceId, postId),

    putBack: ({ workspaceId }: Caller, postId: string, rows: string) => store.putBack(workspaceId, postId, rows),
  };
};

const isAdmin = (role: Role) => (admins as readonly Role[]).includes(role);

/** The members whose name follows an @; of `Ann` and `Ann Lee` the longer match counts. */
export const mentionsIn = (body: string, members: readonly Mention[]): Mention[] => {
  const byLength = members.filter(({ name }) => name !== '').sort((a, b) => b.name.length - a.name.length);
  const mentions = new Set<Mention>();
  for (const { index } of body.matchAll(/@/g)) {
    const rest = body.slice(index + 1, index + 1 + maxNameLength).toLowerCase();
    const isNamed = ({ name }: Mention) =>
      rest.startsWith(name.toLowerCase()) && !/^[\p{L}\p{N}]/u.test(rest.slice(name.length));
    const longest = byLength.find(isNamed)?.name.toLowerCase();
    for (const member of byLength) if (member.name.toLowerCase() === longest) mentions.add(member);
  }
  return [...mentions];
};

const maxNameLength = 130;
