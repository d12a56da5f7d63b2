import { createHash } from 'node:crypto';
import { forecastDays } from '#contracts/forecast';
import { instantOf } from '#contracts/instant';
import type { ForecastEntry } from '#contracts/posts';
import { dayMs } from '#contracts/time';
import type { Plans } from '#server/access/plans/plans';
import type { Clock } from '#server/base/clock';
import type { AccountOutlook } from '#server/connecting/accounts/outlook';
import type { MediaLibrary } from '#server/media/library';
import type { Deletion } from '#server/people/workspaces/deletion';
import type { SlotQueue } from '#server/planning/slots/queue';
import type { Readiness } from '#server/writing/posts/readiness';
import type { Reading } from '#server/writing/posts/reading';
import type {
  ForecastRow,
  Minute,
  MinutePost,
  ScheduledPost,
  ScheduledPosts,
} from '#server/writing/posts/scheduled-posts';
import { findClockChanges } from './clock-changes.ts';
import {
  clashOf,
  inOrder,
  laterTimes,
  limitKey,
  minuteKey,
  minuteOf,
  type PlannedPost,
  type Rule,
  rules,
  type Situation,
} from './rules.ts';

export type Judge = ReturnType<typeof createJudge>;

/** Judges scheduled posts, each with what it shares with others, however many there are. One rule for each cause: see rules.ts. */
export const createJudge = ({
  scheduled,
  reading,
  readiness,
  library,
  plans,
  slots,
  deletion,
  clock,
}: {
  scheduled: ScheduledPosts;
  reading: Reading;
  readiness: Pick<Readiness, 'findBrokenLimits'>;
  library: Pick<MediaLibrary, 'find'>;
  plans: Pick<Plans, 'read'>;
  slots: Pick<SlotQueue, 'read'>;
  deletion: Pick<Deletion, 'dateOf'>;
  clock: Clock;
}) => {
  /** Finds broken limits in posts of the next days. Examines only posts whose content, accounts or files changed. */
  const examineContent = async (
    workspaceId: string,
    posts: readonly ScheduledPost[],
    accounts: ReadonlyMap<string, AccountOutlook>,
  ): Promise<ReadonlyMap<string, Pick<ForecastRow, 'contentKey' | 'content'>>> => {
    const files = await library.find({ workspaceId }, [...new Set(posts.flatMap(({ media }) => media))]);
    const fileTexts = new Map([...files].map(([id, file]) => [id, JSON.stringify(file)]));
    const today = instantOf(clock.now()).slice(0, 10);
    const keys = new Map(posts.map((post) => [post.id, contentKey(post, accounts, fileTexts, today)]));
    const changed = posts.filter(({ id, row }) => row?.contentKey !== keys.get(id)).map(({ id }) => id);
    const full = changed.length === 0 ? [] : await reading.many({ workspaceId }, changed);
    const connected = [...accounts.values()].filter(({ status }) => status !== 'Disconnected');
    const issues = await readiness.findBrokenLimits(
      workspaceId,
      full,
      // The account data that the keys were made from, so that an account that changes meanwhile is examined again.
      new Map(connected.map(({ id, network, facts }) => [id, { network: network.key, facts: JSON.parse(facts) }])),
    );
    return new Map(
      posts.map(({ id, row }) => [
        id,
        { contentKey: keys.get(id) ?? '', content: issues.get(id) ?? row?.content ?? [] },
      ]),
    );
  };

  const readMinutes = async (workspaceId: string, minutes: readonly Minute[]) => {
    const byKey = new Map<string, MinutePost[]>();
    const distinct = new Map(minutes.map((minute) => [minuteKey(minute.accountId, minute.atMs), minute]));
    for (const { accountId, minuteMs, ...post } of await scheduled.firstOfMinutes(workspaceId, [
      ...distinct.values(),
    ])) {
      const key = minuteKey(accountId, minuteMs);
      byKey.set(key, [...(byKey.get(key) ?? []), post]);
    }
    return byKey;
  };

  /** The minutes of the posts, and for those that share theirs the minutes that they could move to. */
  const findMinutes = async (workspaceId: string, posts: readonly PlannedPost[], nowMs: number) => {
    const comingPosts = posts.filter(({ atMs }) => isComing(atMs, nowMs));
    const own = await readMinutes(workspaceId, comingPosts.flatMap(minutesOf));
    const clashing = comingPosts.filter((post) => (clashOf(post, own)?.[0]?.id ?? post.id) !== post.id);
    const later = await readMinutes(
      workspaceId,
      clashing.flatMap((post) => laterTimes(post.atMs).flatMap((atMs) => minutesOf({ ...post, atMs }))),
    );
    return new Map([...later, ...own]);
  };

  return {
    readMinutes,

    /** What all forecasts of a workspace depend on. When it changes, all are made again. */
    basisOf: async (workspaceId: string) => {
      const [{ key, name, used, scheduledPerMonth, paidPostsPerMonth }, week, deleteAt] = await Promise.all([
        plans.read(workspaceId),
        slots.read(workspaceId),
        deletion.dateOf(workspaceId),
      ]);
      const isOver = scheduledPerMonth !== null && used.scheduled > scheduledPerMonth;
      const isPaidOver = paidPostsPerMonth !== null && used.paidPosts > paidPostsPerMonth;
      // Only a plan that is used up says how much of it is used.
      const plan = [key, name, isOver ? used.scheduled : 0, isPaidOver ? used.paidPosts : 0];
      return createHash('sha1')
        .update(JSON.stringify([plan, week, deleteAt]))
        .digest('base64url');
    },

    /** `fullUntilMs` has the limits of networks that were counted anew, by `limitKey`; the others are as in the row. */
    judge: async (
      workspaceId: string,
      posts: readonly ScheduledPost[],
      accounts: ReadonlyMap<string, AccountOutlook>,
      fullUntilMs: ReadonlyMap<string, number | undefined>,
    ): Promise<ForecastRow[]> => {
      if (posts.length === 0) return [];
      const nowMs = clock.now().getTime();
      const planned = posts.map(toPlanned);
      const times = planned.map(({ atMs }) => atMs);
      const content = await examineContent(
        workspaceId,
        posts.filter(({ scheduledAt }) => isNear(Date.parse(scheduledAt), nowMs)),
        accounts,
      );
      const week = await slots.read(workspaceId);
      const situation: Situation = {
        nowMs,
        accounts,
        issues: new Map([...content].map(([id, one]) => [id, one.content])),
        posts: planned,
        fullUntilMs: new Map(
          posts.flatMap(({ id, accountIds, row }) =>
            accountIds.flatMap((accountId): [string, number][] => {
              const key = limitKey(id, accountId);
              const untilMs = fullUntilMs.has(key) ? fullUntilMs.get(key) : fullUntilIn(row, accountId);
              return untilMs === undefined ? [] : [[key, untilMs]];
            }),
          ),
        ),
        minutes: await findMinutes(workspaceId, planned, nowMs),
        refusedPermissions: await reading.refusedPermissions(workspaceId, [...accounts.keys()]),
        plan: await plans.read(workspaceId),
        slots: week,
        clockChanges: findClockChanges(
          { fromMs: Math.min(...times) - dayMs, toMs: Math.max(...times) + dayMs, nowMs },
          week.timeZone || 'UTC',
        ),
        deleteAt: await deletion.dateOf(workspaceId),
      };
      const entries = findEntries(situation);
      return posts.map((post): ForecastRow => {
        const { contentKey = '', content: issues = [] } = content.get(post.id) ?? {};
        const { id, updatedAt, scheduledAt } = post;
        const rest = { contentKey, content: issues, entries: entries.get(id) ?? [] };
        return { postId: id, updatedAt, scheduledAt, accountIds: openIdsOf(post), ...rest };
      });
    },
  };
};

export const isNear = (atMs: number, nowMs: number) => atMs < nowMs + forecastDays * dayMs;

/** Nobody moves a post away from a minute that has begun, so posts that go out there change nothing for the others. */
export const isComing = (atMs: number, nowMs: number) => minuteOf(atMs) > minuteOf(nowMs);

export const openIdsOf = ({ accountIds, reachedIds }: Pick<ScheduledPost, 'accountIds' | 'reachedIds'>) =>
  accountIds.filter((accountId) => !reachedIds.includes(accountId));

const toPlanned = (post: ScheduledPost): PlannedPost => ({
  id: post.id,
  atMs: Date.parse(post.scheduledAt),
  accountIds: openIdsOf(post),
  text: post.text ?? '',
});

const minutesOf = ({ accountIds, atMs }: Pick<PlannedPost, 'accountIds' | 'atMs'>): Minute[] =>
  accountIds.map((accountId) => ({ accountId, atMs: minuteOf(atMs) }));

export const fullUntilIn = (row: Pick<ForecastRow, 'entries'> | undefined, accountId: string) => {
  const entry = row?.entries.find((one) => one.code === 'network_quota' && one.accountId === accountId);
  return entry?.at === undefined ? undefined : Date.parse(entry.at);
};

/** Includes the date, so that every post is examined once a day even if no change was reported. */
const contentKey = (
  { updatedAt, accountIds, media }: ScheduledPost,
  accounts: ReadonlyMap<string, AccountOutlook>,
  files: ReadonlyMap<string, string>,
  today: string,
) => {
  const hash = createHash('sha1').update(`${today} ${updatedAt}`);
  for (const id of accountIds) hash.update(`\n${accounts.get(id)?.status} ${accounts.get(id)?.facts}`);
  for (const id of media) hash.update(`\n${files.get(id) ?? 'gone'}`);
  return hash.digest('base64url');
};

export const findEntries = (
  situation: Situation,
  all: readonly Rule[] = rules,
): ReadonlyMap<string, readonly ForecastEntry[]> => {
  const ready = all.map(({ code, isCertain = false, in: prepare }) => ({
    code,
    isCertain,
    find: prepare(situation),
  }));
  const certain = ready.filter(({ isCertain }) => isCertain);
  return new Map(
    situation.posts.map((post) => {
      const entries: ForecastEntry[] = [];
      for (const { code, find } of isNear(post.atMs, situation.nowMs) ? ready : certain) {
        for (const { fixes = [], ...finding } of find(post)) {
          entries.push({ code, ...finding, ...(fixes.length > 0 && { fixes }) });
        }
      }
      return [post.id, inOrder(entries)];
    }),
  );
};

/** Whether what is stored still holds. The database orders the keys of objects its own way. */
export const isSame = (before: ForecastRow | undefined, now: ForecastRow) =>
  before !== undefined && JSON.stringify(sorted(before)) === JSON.stringify(sorted(now));

export const hasSameEntries = (before: ForecastRow | undefined, now: ForecastRow) =>
  JSON.stringify(sorted(before?.entries ?? [])) === JSON.stringify(sorted(now.entries));

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, one]) => [key, sorted(one)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
};
