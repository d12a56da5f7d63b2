import { bulkPosts } from '#contracts/bulk';
import { type PostStatus, type PostSummary, postStatuses } from '#contracts/posts';
import type { Caller } from '#server/base/context';
import { badInput } from '#server/base/errors';
import type { Accounts } from '#server/connecting/accounts/accounts';
import type { MediaLibrary } from '#server/media/library';
import type { OverviewStore, PostFilter, PostSearch } from './overview-store.ts';

const listPage = 50;
/** Enough for a month of a busy workspace. */
const calendarPage = 500;

export type Overview = ReturnType<typeof createOverview>;

/** Posts as lists and calendars show them. */
export const createOverview = ({
  store,
  library,
  accounts,
}: {
  store: OverviewStore;
  library: MediaLibrary;
  accounts: Accounts;
}) => ({
  search: async (caller: Caller, search: PostSearch, cursor: string | undefined) => {
    const limit = search.group === 'Timed' || search.group === 'Late' ? calendarPage : listPage;
    const matches = await store.search(caller.workspaceId, search, limit + 1, placeOf(cursor));
    const page = matches.slice(0, limit);
    const last = page.at(-1);
    const thumbnails = await library.thumbnails(
      caller,
      page.flatMap(({ mediaId }) => mediaId ?? []),
    );
    return {
      posts: page.map(({ summary, mediaId }): PostSummary => {
        const thumbnail = mediaId === null ? undefined : thumbnails.get(mediaId);
        return { ...summary, ...(thumbnail && { thumbnail }) };
      }),
      ...(matches.length > limit && last && { nextCursor: cursorOf({ at: last.at, id: last.summary.id }) }),
    };
  },

  /** Matching posts, for a bulk change. */
  select: ({ workspaceId }: Caller, status: PostStatus | undefined, filter: PostFilter) =>
    store.select(workspaceId, status, filter, bulkPosts),

  scheduledByAccount: ({ workspaceId }: Caller) => store.scheduledByAccount(workspaceId),

  /** A new post starts with these accounts. */
  lastAccounts: async (caller: Caller) => {
    const ids = await store.lastAccounts(caller);
    const connected = await accounts.connectedOf(caller, ids);
    const accountIds = ids.filter((id) => connected.has(id));
    return { accountIds, disconnected: ids.length - accountIds.length };
  },

  counts: async ({ workspaceId }: Caller, filter: PostFilter) => {
    const counted = new Map((await store.counts(workspaceId, filter)).map(({ status, count }) => [status, count]));
    return Object.fromEntries(postStatuses.map((status) => [status, counted.get(status) ?? 0])) as Record<
      PostStatus,
      number
    >;
  },
});

/** The position of a post in a list that is ordered by time. */
export interface Place {
  readonly at: string;
  readonly id: string;
}

export const cursorOf = ({ at, id }: Place) => Buffer.from(`${at} ${id}`).toString('base64url');

export const placeOf = (cursor: string | undefined): Place | undefined => {
  if (cursor === undefined) return undefined;
  const place = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (post_\w+)$/.exec(Buffer.from(cursor, 'base64url').toString());
  const [, at, id] = place ?? [];
  if (at === undefined || id === undefined || Number.isNaN(Date.parse(at))) {
    throw badInput({ path: 'cursor', code: 'BadFormat', message: 'must be the nextCursor of an earlier page' });
  }
  return { at, id };
};
