import { instantOf } from '#contracts/instant';
import { dayMs, minuteMs } from '#contracts/time';
import type { Clock } from '#server/base/clock';
import type { AccountOutlook } from '#server/connecting/accounts/outlook';
import type {
  LeftPost,
  LimitedTime,
  Minute,
  ScheduledPost,
  ScheduledPosts,
} from '#server/writing/posts/scheduled-posts';
import { fullUntilIn, isComing, isNear, type Judge, openIdsOf } from './judge.ts';
import { findFullUntil, windowMsOf } from './limits.ts';
import { laterTimes, limitKey, minuteKey, minuteOf } from './rules.ts';

/** Beyond these the whole workspace is checked instead, in pages. */
const mostOthers = 200;
const mostRead = 1_000;

/** A post at one time, before or after a change. */
interface Place {
  readonly id: string;
  readonly at: string;
  readonly accountIds: readonly string[];
  /** Whether the post was not here before, or is not here any more. */
  readonly isNew: boolean;
}

export type FullUntil = Map<string, number | undefined>;

export type Affected = ReturnType<typeof createAffected>;

/** Finds the posts whose forecast a change of others touches: in the same minute, or within the same limit of a network. */
export const createAffected = ({
  scheduled,
  judge,
  clock,
}: {
  scheduled: ScheduledPosts;
  judge: Pick<Judge, 'readMinutes'>;
  clock: Clock;
}) => {
  const bounds = () => {
    const nowMs = clock.now().getTime();
    return { nowMs, since: new Date(nowMs - dayMs), soon: new Date(nowMs + minuteMs) };
  };

  /**
   * Each forecast names the first other post of its minute, so a change of the first two touches all of them; and a post
   * that may move to a later minute has to know when that becomes free or taken.
   */
  const inSameMinutes = async (workspaceId: string, places: readonly Place[], except: readonly string[]) => {
    const { nowMs } = bounds();
    const coming = places.filter(({ at }) => isComing(Date.parse(at), nowMs));
    const minutes = await judge.readMinutes(
      workspaceId,
      coming.flatMap(({ at, accountIds }) => accountIds.map((accountId) => ({ accountId, atMs: Date.parse(at) }))),
    );
    const touched = coming.flatMap(({ id, at, accountIds, isNew }): (Minute & { isForClash: boolean })[] =>
      accountIds.flatMap((accountId) => {
        const atMs = Date.parse(at);
        const second = minutes.get(minuteKey(accountId, atMs))?.[1];
        const isFirst = second === undefined || atMs < second.atMs || (atMs === second.atMs && id <= second.id);
        const earlier = laterTimes(atMs).map((laterMs) => 2 * atMs - laterMs);
        return [
          ...(isFirst ? [{ accountId, atMs: minuteOf(atMs), isForClash: false }] : []),
          ...(isNew ? earlier.map((ms) => ({ accountId, atMs: minuteOf(ms), isForClash: true })) : []),
        ];
      }),
    );
    return scheduled.inMinutes(workspaceId, touched, except, mostOthers + 1);
  };

  /**
   * Goes along the posts of an account from where the use of its limit changed, until a whole window passes without any
   * difference. Undefined if that takes too long.
   */
  const alongLimit = async (
    workspaceId: string,
    account: AccountOutlook,
    limit: NonNullable<AccountOutlook['network']['postQuota']>,
    timesMs: readonly number[],
    fullUntilMs: FullUntil,
  ): Promise<ScheduledPost[] | undefined> => {
    const { nowMs, since, soon } = bounds();
    const windowMs = windowMsOf(limit);
    const waiting = timesMs.toSorted((a, b) => a - b);
    const others: ScheduledPost[] = [];
    let read = 0;
    for (let fromMs = waiting.shift(); fromMs !== undefined; ) {
      let endMs = fromMs + windowMs;
      let place = { at: instantOf(new Date(fromMs)), id: '' };
      const range = { most: limit.posts, from: new Date(fromMs - windowMs), since, soon };
      let usedMs: readonly number[] =
        (await scheduled.usedMs(workspaceId, [account.id], place, range)).get(account.id) ?? [];
      for (;;) {
        const posts = await scheduled.scheduledOf(workspaceId, account.id, place, mostOthers);
        const open = posts.filter((post) => openIdsOf(post).includes(account.id)).map(toTimed);
        const counted = findFullUntil(open, limit, usedMs);
        usedMs = counted.usedMs;
        for (const { atMs, post } of open) {
          while (waiting[0] !== undefined && waiting[0] <= endMs) {
            endMs = Math.max(endMs, (waiting.shift() ?? 0) + windowMs);
          }
          if (atMs > endMs || !isNear(atMs, nowMs)) break;
          const untilMs = counted.untilMs.get(post.id);
          fullUntilMs.set(limitKey(post.id, account.id), untilMs);
          if (untilMs === fullUntilIn(post.row, account.id)) continue;
          endMs = Math.max(endMs, atMs + windowMs);
          others.push(post);
        }
        const last = posts.at(-1);
        const lastMs = last && Date.parse(last.scheduledAt);
        if (last === undefined || lastMs === undefined || posts.length < mostOthers) break;
        if (lastMs > endMs || !isNear(lastMs, nowMs)) break;
        read += posts.length;
        if (read > mostRead) return undefined;
        place = { at: last.scheduledAt, id: last.id };
      }
      fromMs = waiting.shift();
    }
    return others;
  };

  /** Undefined if there are too many. */
  const withinSameLimits = async (
    workspaceId: string,
    times: readonly Minute[],
    accounts: ReadonlyMap<string, AccountOutlook>,
    fullUntilMs: FullUntil,
  ): Promise<ScheduledPost[] | undefined> => {
    const limited = times.flatMap(({ accountId, atMs }): LimitedTime[] => {
      const limit = accounts.get(accountId)?.network.postQuota;
      return limit ? [{ accountId, atMs, quota: limit.posts, windowMs: windowMsOf(limit) }] : [];
    });
    const near = await scheduled.nearLimit(workspaceId, limited, bounds().since);
    const others: ScheduledPost[] = [];
    for (const accountId of new Set(near.map((time) => time.accountId))) {
      const account = accounts.get(accountId);
      if (account?.network.postQuota === undefined) continue;
      const timesMs = near.filter((time) => time.accountId === accountId).map(({ atMs }) => atMs);
      const own = await alongLimit(workspaceId, account, account.network.postQuota, timesMs, fullUntilMs);
      if (own === undefined) return undefined;
      others.push(...own);
    }
    return others;
  };

  return {
    bounds,

    /** How far each post of a page, where none is left out, is beyond the limits of networks. */
    countPage: async (
      workspaceId: string,
      posts: readonly ScheduledPost[],
      accounts: ReadonlyMap<string, AccountOutlook>,
    ): Promise<FullUntil> => {
      const { nowMs, since, soon } = bounds();
      const fullUntilMs: FullUntil = new Map();
      const [first] = posts;
      const limited = [...accounts.values()].flatMap(({ id, network: { postQuota } }) =>
        postQuota ? [{ id, limit: postQuota }] : [],
      );
      if (first === undefined || limited.length === 0 || !isNear(Date.parse(first.scheduledAt), nowMs))
        return fullUntilMs;
      const usedMs = await scheduled.usedMs(
        workspaceId,
        limited.map(({ id }) => id),
        { at: first.scheduledAt, id: first.id },
        {
          most: Math.max(...limited.map(({ limit }) => limit.posts)),
          from: new Date(Date.parse(first.scheduledAt) - Math.max(...limited.map(({ limit }) => windowMsOf(limit)))),
          since,
          soon,
        },
      );
      for (const { id, limit } of limited) {
        const own = posts.filter((post) => openIdsOf(post).includes(id)).map(toTimed);
        const { untilMs } = findFullUntil(own, limit, usedMs.get(id) ?? []);
        for (const { post } of own) fullUntilMs.set(limitKey(post.id, id), untilMs.get(post.id));
      }
      return fullUntilMs;
    },

    /**
     * The other posts to judge again after these changed or left, and what was counted on the way. Undefined if there are
     * too many for one step.
     */
    find: async (
      workspaceId: string,
      changed: readonly ScheduledPost[],
      left: readonly LeftPost[],
      readAccounts: (ids: readonly string[]) => Promise<ReadonlyMap<string, AccountOutlook>>,
    ): Promise<{ others: readonly ScheduledPost[]; fullUntilMs: FullUntil } | undefined> => {
      const places = [...changed.flatMap(placesOfChanged), ...left.flatMap(placesOfLeft)];
      const times = [...changed.flatMap(timesOfChanged), ...left.flatMap(timesOfLeft)];
      const accounts = await readAccounts([...new Set(times.map(({ accountId }) => accountId))]);
      // A post that moved away from a full day is within the limit, unless it is found beyond it again.
      const fullUntilMs: FullUntil = new Map(
        changed.flatMap((post) =>
          timesOfChanged(post).map(({ accountId }): [string, undefined] => [limitKey(post.id, accountId), undefined]),
        ),
      );
      const limited = await withinSameLimits(workspaceId, times, accounts, fullUntilMs);
      if (limited === undefined) return undefined;
      const ids = [...changed.map(({ id }) => id), ...left.map(({ postId }) => postId)];
      const near = await inSameMinutes(workspaceId, places, ids);
      const others = new Map([...near, ...limited].map((post) => [post.id, post]));
      for (const id of ids) others.delete(id);
      return others.size > mostOthers ? undefined : { others: [...others.values()], fullUntilMs };
    },
  };
};

const toTimed = (post: ScheduledPost) => ({ id: post.id, atMs: Date.parse(post.scheduledAt), post });

const hasSamePlace = (post: ScheduledPost) =>
  post.row?.scheduledAt === post.scheduledAt && post.row.accountIds.join() === openIdsOf(post).join();

const placesOfChanged = (post: ScheduledPost): Place[] => {
  const isNew = !hasSamePlace(post);
  const now = { id: post.id, at: post.scheduledAt, accountIds: openIdsOf(post), isNew };
  return isNew && post.row ? [now, { ...now, at: post.row.scheduledAt, accountIds: post.row.accountIds }] : [now];
};

const placesOfLeft = ({ postId, row }: LeftPost): Place[] =>
  row ? [{ id: postId, at: row.scheduledAt, accountIds: row.accountIds, isNew: true }] : [];

/** When the use of the limits of accounts changes: where the post was, and where it is. */
const timesOfChanged = (post: ScheduledPost): Minute[] =>
  hasSamePlace(post)
    ? []
    : [
        ...openIdsOf(post).map((accountId) => ({ accountId, atMs: Date.parse(post.scheduledAt) })),
        ...(post.row?.accountIds ?? []).map((accountId) => ({
          accountId,
          atMs: Date.parse(post.row?.scheduledAt ?? ''),
        })),
      ];

const timesOfLeft = ({ row, usedMs }: LeftPost): Minute[] =>
  [...new Set([...(row?.accountIds ?? []), ...Object.keys(usedMs)])].flatMap((accountId) => {
    const beforeMs = row?.accountIds.includes(accountId) ? Date.parse(row.scheduledAt) : undefined;
    const nowMs = usedMs[accountId];
    if (beforeMs === nowMs) return [];
    return [beforeMs, nowMs].flatMap((atMs) => (atMs === undefined ? [] : [{ accountId, atMs }]));
  });
