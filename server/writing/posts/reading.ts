import type { Post, PostLine, PostStatus } from '#contracts/posts';
import { bounds } from '#server/base/bounds';
import type { Caller } from '#server/base/context';
import { notFound } from '#server/base/errors';
import { JsonText } from '#server/base/json/json-text';
import { fromCursor, toCursor } from '#server/base/store/page';
import type { PostStore } from './post-store.ts';
import type { ReadingStore } from './reading-store.ts';
import type { ScheduleStore } from './schedule-store.ts';

interface ListInput {
  readonly status?: PostStatus | undefined;
  readonly query: string;
  readonly from: string;
  readonly to: string;
  readonly label: string;
  /** Null for all. */
  readonly ids: readonly string[] | null;
  readonly view: 'full' | 'summary';
  readonly limit: number;
  readonly cursor?: string | undefined;
}

interface PostPage {
  readonly posts: Post[];
  readonly summaries?: PostLine[];
  readonly nextCursor?: string;
}

const maxSameMinute = 100;
/** How many of the newest posts are searched for a duplicate draft. */
const duplicateWindow = 20;

export type Reading = ReturnType<typeof createReading>;

export const createReading = ({
  store,
  postStore,
  scheduleStore,
}: {
  store: ReadingStore;
  postStore: PostStore;
  scheduleStore: ScheduleStore;
}) => ({
  get: async ({ workspaceId }: Caller, id: string) => {
    const post = await postStore.get(workspaceId, id);
    if (post === undefined) throw notFound('post', id);
    return post;
  },

  /** As JSON, for the answers of actions. */
  show: async ({ workspaceId }: Caller, id: string) => {
    const post = await store.show(workspaceId, id);
    if (post === undefined) throw notFound('post', id);
    return post;
  },

  /** Locks the post until the transaction ends. */
  lock: async ({ workspaceId }: Caller, id: string) => {
    const post = await postStore.lock(workspaceId, id);
    if (post === undefined) throw notFound('post', id);
    return post;
  },

  /** Those of the ids that exist. */
  many: ({ workspaceId }: Pick<Caller, 'workspaceId'>, ids: readonly string[]) => postStore.many(workspaceId, ids),

  /** The ids that exist, protected from deletion until the transaction ends. */
  hold: ({ workspaceId }: Caller, ids: readonly string[]) => postStore.hold(workspaceId, ids),

  /** A recent draft with the same content for the same accounts. */
  findDuplicate: ({ workspaceId }: Caller, id: string) => postStore.findDuplicate(workspaceId, id, duplicateWindow),

  /** Accounts that refused a post for lack of a permission since they were connected, and when they first did. */
  refusedPermissions: (workspaceId: string, accountIds: readonly string[]) =>
    scheduleStore.refusedPermissions(workspaceId, accountIds),

  /** Scheduled posts by local day. */
  countScheduledDays: (workspaceId: string, timeZone: string, to: string) =>
    scheduleStore.countScheduledDays(workspaceId, timeZone, to),

  /** Scheduled posts whose forecast has entries, the blocked ones first. */
  foreseen: (workspaceId: string, { from, to, limit }: { from: string; to: string; limit: number }) =>
    scheduleStore.foreseen(workspaceId, from, to, limit),

  /** Those of the accounts that a scheduled post before this time goes to. */
  accountsInUse: (workspaceId: string, accountIds: readonly string[], before: string) =>
    scheduleStore.accountsInUse(workspaceId, accountIds, before),

  /** The next posts scheduled for this account. */
  scheduledFor: ({ workspaceId }: Caller, accountId: string, limit: number) =>
    scheduleStore.scheduledFor(workspaceId, accountId, limit),

  /** Of these posts, those that go out in the same minute as another post to the same account. */
  sameMinute: ({ workspaceId }: Caller, ids: readonly string[]) =>
    scheduleStore.sameMinute(workspaceId, ids, maxSameMinute),

  list: async (
    { workspaceId }: Caller,
    { limit, cursor, view, status, query, from, to, label, ids }: ListInput,
  ): Promise<PostPage | JsonText<PostPage>> => {
    const filter = { status, query, from: from || null, to: to || null, label, ids };
    if (view === 'summary') {
      const lines = await store.lines(workspaceId, limit, fromCursor(cursor), filter);
      const summaries = lines.slice(0, limit);
      const last = summaries.at(-1);
      return { posts: [], summaries, ...(lines.length > limit && last && { nextCursor: toCursor(last.id) }) };
    }
    const page = { limit, maxBytes: bounds.pageBytes };
    const { posts, more, last } = await store.list(workspaceId, page, fromCursor(cursor), filter);
    const next = more && last ? `,"nextCursor":"${toCursor(last)}"` : '';
    return new JsonText<PostPage>(`{"posts":${posts}${next}}`);
  },
});
