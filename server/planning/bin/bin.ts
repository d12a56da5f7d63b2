import type { DeletedPost } from '#contracts/bin';
import type { Post } from '#contracts/posts';
import { admins, type Role } from '#contracts/scopes';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { Rights } from '#server/access/auth/rights';
import type { Caller } from '#server/base/context';
import { notFound, Refusal } from '#server/base/errors';
import type { DeletedSends } from '#server/delivery/publishing/deleted-sends';
import type { MediaLibrary } from '#server/media/library';
import type { Labels } from '#server/planning/labels/labels';
import type { Comments } from '#server/planning/review/comments';
import type { Revisions } from '#server/writing/history/revisions';
import { type Lifecycle, reachedBy } from '#server/writing/posts/lifecycle';
import { keepMedia, mediaIn } from '#server/writing/posts/outgoing';
import { cursorOf, placeOf } from '#server/writing/posts/overview';
import type { Reading } from '#server/writing/posts/reading';
import type { BinRow, BinStore } from './store.ts';

const pageSize = 50;
const purgeBatch = 500;

export type Bin = ReturnType<typeof createBin>;

/**
 * Deleted posts that can still be restored. They have a table of their own instead of a flag, so that nothing that lists,
 * counts or sends posts can include them.
 */
export const createBin = ({
  store,
  rights,
  reading,
  lifecycle,
  revisions,
  comments,
  sends,
  labels,
  library,
  audit,
}: {
  store: BinStore;
  rights: Rights;
  reading: Reading;
  lifecycle: Lifecycle;
  revisions: Revisions;
  comments: Comments;
  sends: DeletedSends;
  labels: Labels;
  library: MediaLibrary;
  audit: AuditLog;
}) => {
  const toDeletedPost = ({ role, userId }: Caller, row: BinRow, thumbnail: DeletedPost['thumbnail']): DeletedPost => ({
    id: row.id,
    status: row.status,
    text: row.text ?? '',
    items: row.items,
    accountIds: row.accountIds,
    reachedAccountIds: reachedBy(row),
    ...(row.scheduledAt !== null && { scheduledAt: row.scheduledAt }),
    ...(thumbnail && { thumbnail }),
    deletedAt: row.deletedAt,
    ...(row.deletedByName !== null && { deletedBy: { id: row.deletedBy, name: row.deletedByName } }),
    ...(row.deletedClient !== null && { client: row.deletedClient }),
    goneAt: row.goneAt,
    mayDelete: isAdmin(role) || row.createdBy === userId,
  });

  /** Adds nothing if `check` finds something, and returns that. */
  const add = <Missing>(caller: Caller, id: string, check: (post: Post) => Missing): Promise<Missing | undefined> =>
    store.transaction(async () => {
      await rights.mustHold(caller);
      // Locked first, so that nobody adds a comment or label that the copies miss.
      const missing = check(await reading.lock(caller, id));
      if (missing) return missing;
      await revisions.recordStatus(caller, id, 'Deleted');
      const companions = {
        labelIds: await labels.ofPost(caller, id),
        history: await revisions.copyRows(caller, id),
        comments: await comments.copyRows(caller, id),
        sends: await sends.copyRows(caller, id),
      };
      await store.add(caller, await lifecycle.remove(caller, id), companions);
      return undefined;
    });

  return {
    /** The implementation of posts.delete. */
    add: (caller: Caller, id: string) =>
      add(caller, id, ({ status }) =>
        status === 'Scheduled' ? lifecycle.needsApproval(caller, 'Deleting a scheduled post', id) : undefined,
      ),

    /** Refuses a post that is no longer a draft. */
    addDraft: (caller: Caller, id: string) =>
      add(caller, id, ({ status }) => {
        if (status !== 'Draft') throw new Refusal('Conflict', `The post ${id} is ${status}, no longer a Draft.`);
        return undefined;
      }),

    list: async (caller: Caller, cursor: string | undefined) => {
      const rows = await store.list(caller.workspaceId, pageSize + 1, placeOf(cursor));
      const page = rows.slice(0, pageSize);
      const last = page.at(-1);
      const thumbnails = await library.thumbnails(
        caller,
        page.flatMap(({ mediaId }) => mediaId ?? []),
      );
      return {
        posts: page.map((row) => toDeletedPost(caller, row, thumbnails.get(row.mediaId ?? ''))),
        total: await store.count(caller.workspaceId),
        ...(rows.length > pageSize && last && { nextCursor: cursorOf({ at: last.deletedAt, id: last.id }) }),
      };
    },

    has: async ({ workspaceId }: Caller, id: string) => store.has(workspaceId, id),

    restore: (caller: Caller, id: string) =>
      store.transaction(async () => {
        const { workspaceId } = await rights.mustHold(caller);
        const deleted = await store.take(workspaceId, id);
        if (deleted === undefined) throw notInBin(id);
        // Files may have left the library meanwhile. Lock the remaining ones until the post uses them again.
        const files = mediaIn(deleted.versions);
        const held = new Set((await library.hold(caller, files)).map((item) => item.id));
        const versions = keepMedia(deleted.versions, (file) => held.has(file));
        await lifecycle.restore(caller, { ...deleted, versions });
        await revisions.putBack(caller, id, deleted.history);
        await comments.putBack(caller, id, deleted.comments);
        await sends.putBack(caller, id, deleted.sends);
        await labels.putBack(caller, id, deleted.labelIds);
        await revisions.recordStatus(caller, id, 'Restored');
        return {
          post: await reading.get(caller, id),
          leftOut: reachedBy(deleted),
          lostFiles: files.length - held.size,
        };
      }),

    deleteForGood: (caller: Caller, id: string) =>
      store.transaction(async () => {
        const { role } = caller;
        const { workspaceId, userId } = await rights.mustHold(caller);
        const post = await store.lock(workspaceId, id);
        if (post === undefined) throw notInBin(id);
        if (!isAdmin(role) && post.createdBy !== userId) {
          throw new Refusal('Forbidden', 'Only its author, an owner or an admin can delete a post for good.');
        }
        await store.remove(workspaceId, id);
        await audit.write({ event: 'bin.deleted', workspaceId, userId, details: { id, text: post.text ?? '' } });
      }),

    empty: (caller: Caller) =>
      store.transaction(async () => {
        const { workspaceId, userId } = await rights.mustHold(caller);
        const posts = await store.empty(workspaceId);
        await audit.write({ event: 'bin.emptied', workspaceId, userId, details: { posts } });
      }),

    /** Removes posts that have been here for too long. */
    purge: async () => {
      while ((await store.purge(purgeBatch)) === purgeBatch);
    },
  };
};

const isAdmin = (role: Role) => (admins as readonly Role[]).includes(role);

const notInBin = (id: string) => notFound('deleted post', id);
