import { forecastDays } from '#contracts/forecast';
import { instantOf } from '#contracts/instant';
import { dayMs } from '#contracts/time';
import type { Clock } from '#server/base/clock';
import type { Live } from '#server/base/live/live';
import type { AccountOutlooks } from '#server/connecting/accounts/outlook';
import type { Notifications } from '#server/messaging/notifications/notifications';
import type { Networks } from '#server/networks/registry';
import type { Reading } from '#server/writing/posts/reading';
import type { ForecastRow, LeftPost, ScheduledPost, ScheduledPosts } from '#server/writing/posts/scheduled-posts';
import { createAffected } from './affected.ts';
import { hasSameEntries, isSame, type Judge } from './judge.ts';
import type { CheckState, ForecastStore } from './store.ts';
import { accountTopics, newPostTopics, readAccountTopics, type Topic, toNotification } from './topics.ts';

const pageLength = 200;
/** The rest goes with the next check. */
const mostLeftovers = 10_000;
/** Another process saved forecasts of the same workspace each time. */
const mostTries = 10;

export type Forecast = ReturnType<typeof createForecast>;

/** What will happen to scheduled posts as things stand. */
export const createForecast = ({
  store,
  scheduled,
  judge,
  reading,
  outlooks,
  networks,
  notifications,
  live,
  clock,
}: {
  store: ForecastStore;
  scheduled: ScheduledPosts;
  judge: Judge;
  reading: Reading;
  outlooks: AccountOutlooks;
  networks: Networks;
  notifications: Pick<Notifications, 'tell'>;
  live: Pick<Live, 'publish'>;
  clock: Clock;
}) => {
  const affected = createAffected({ scheduled, judge, clock });

  const readAccounts = (workspaceId: string) => (ids: readonly string[]) =>
    ids.length === 0 ? Promise.resolve(new Map()) : outlooks.of(workspaceId, ids);
  const accountsOf = (workspaceId: string, posts: readonly ScheduledPost[]) =>
    readAccounts(workspaceId)([...new Set(posts.flatMap(({ accountIds }) => accountIds))]);

  /**
   * Computes everything before the transaction begins: PostgreSQL ends a transaction that is idle for ten seconds, which a
   * busy event loop can cause. `attempt` is false when another process saved forecasts meanwhile.
   */
  const untilSaved = async (attempt: () => Promise<boolean>) => {
    for (let tries = 1; !(await attempt()); tries++) {
      if (tries === mostTries) throw new Error('Other processes kept saving forecasts of the same workspace.');
    }
  };

  const compare = (posts: readonly ScheduledPost[], rows: readonly ForecastRow[]) =>
    rows.map((now, index) => {
      const { row: before, text = null } = posts[index] ?? {};
      return { before, now, text, isSame: isSame(before, now), isShown: !hasSameEntries(before, now) };
    });

  const saveChanged = (workspaceId: string, judged: ReturnType<typeof compare>) => {
    const changed = judged.filter((one) => !one.isSame);
    return store.save(
      workspaceId,
      changed.map(({ now }) => now),
    );
  };

  const tell = (workspaceId: string, topics: readonly Topic[]) =>
    notifications.tell(topics.map((topic) => toNotification(workspaceId, topic)));

  /** Returns the causes on accounts that began with these posts. A check under way finds all of them, and tells them at its end. */
  const updateTold = async (
    workspaceId: string,
    { told, isUnderWay }: CheckState,
    judged: ReturnType<typeof compare>,
    left: readonly LeftPost[],
  ) => {
    const began = new Map<string, Topic>();
    for (const { now, text } of judged) {
      for (const [key, entry] of accountTopics(now.entries)) {
        if (told.includes(key)) continue;
        const posts = (began.get(key)?.posts ?? 0) + 1;
        began.set(
          key,
          began.has(key) ? { ...(began.get(key) as Topic), posts } : { key, entry, posts, postId: now.postId, text },
        );
      }
    }
    const before = [...judged.map((one) => one.before?.entries ?? []), ...left.map(({ row }) => row?.entries ?? [])];
    const ended: string[] = [];
    for (const [key, { level, code, accountId = '' }] of new Map(
      before.flatMap((entries) => [...accountTopics(entries)]),
    )) {
      if (told.includes(key) && !(await store.hasEntry(workspaceId, { level, code, accountId }))) ended.push(key);
    }
    const topics = isUnderWay ? [] : [...began.values()];
    if (topics.length > 0 || ended.length > 0) {
      const keys = topics.map(({ key }) => key);
      await store.setTold(workspaceId, [...told.filter((key) => !ended.includes(key)), ...keys]);
    }
    return topics;
  };

  const publish = (workspaceId: string) => live.publish({ workspaceId, kind: 'forecast', id: workspaceId });

  /** Judges the changed posts and those that share something with them. False: see `untilSaved`. */
  const judgeChanged = async (workspaceId: string, ids: readonly string[]): Promise<boolean> => {
    const state = await store.state(workspaceId);
    const { since, soon } = affected.bounds();
    const limited = networks.all.filter(({ postQuota }) => postQuota !== undefined).map(({ key }) => key);
    const [changed, left] = await Promise.all([
      scheduled.changed(workspaceId, ids),
      scheduled.left(workspaceId, ids, { since, soon, networks: limited }),
    ]);
    if (changed.length === 0 && left.length === 0) return true;
    if (state === undefined) {
      await store.request(workspaceId, 'first');
      return (await store.state(workspaceId)) === undefined; // the workspace is gone
    }
    if ((await judge.basisOf(workspaceId)) !== state.basis || (await isFirstRefusal(workspaceId, left))) {
      await store.request(workspaceId, `${state.revision}`);
    }
    const sharing = await affected.find(workspaceId, changed, left, readAccounts(workspaceId));
    if (sharing === undefined) await store.request(workspaceId, `${state.revision}`);
    const posts = [...changed, ...(sharing?.others ?? [])];
    const accounts = await accountsOf(workspaceId, posts);
    const judged = compare(posts, await judge.judge(workspaceId, posts, accounts, sharing?.fullUntilMs ?? new Map()));
    return store.transaction(async () => {
      if (!(await store.nextRevision(workspaceId, state.revision))) return false;
      await saveChanged(workspaceId, judged);
      const leftIds = left.map(({ postId }) => postId);
      await store.remove(workspaceId, leftIds);
      await tell(workspaceId, [...(await updateTold(workspaceId, state, judged, left)), ...newPostTopics(judged)]);
      if (judged.some(({ isShown }) => isShown) || left.some(({ row }) => (row?.entries.length ?? 0) > 0)) {
        await publish(workspaceId);
      }
      return true;
    });
  };

  /** Whether a post failed for lack of a permission that its account was not known to lack. */
  const isFirstRefusal = async (workspaceId: string, left: readonly LeftPost[]) => {
    const refused = left.filter(({ refusedIds }) => refusedIds.length > 0);
    if (refused.length === 0) return false;
    const accountIds = [...new Set(refused.flatMap(({ refusedIds }) => refusedIds))];
    const first = await reading.refusedPermissions(workspaceId, accountIds);
    return refused.some(({ updatedAt, refusedIds }) => refusedIds.some((id) => first.get(id) === updatedAt));
  };

  /** Judges the next posts of a check of the whole workspace. False: see `untilSaved`. */
  const judgePage = async (workspaceId: string): Promise<boolean> => {
    const state = await store.state(workspaceId);
    // Another process has ended the check.
    if (state === undefined || state.startedAt === null) return true;
    const posts = await scheduled.page(workspaceId, { at: state.lastAt, id: state.lastId }, pageLength);
    const last = posts.at(-1);
    const accounts = await accountsOf(workspaceId, posts);
    const fullUntilMs = await affected.countPage(workspaceId, posts, accounts);
    const judged = compare(posts, await judge.judge(workspaceId, posts, accounts, fullUntilMs));
    const basis = await judge.basisOf(workspaceId);
    const leftovers = posts.length === pageLength ? [] : await scheduled.leftovers(workspaceId, mostLeftovers);
    return store.transaction(async () => {
      const progress = {
        lastAt: last?.scheduledAt ?? state.lastAt,
        lastId: last?.id ?? state.lastId,
        // That of the first page: what changed after it concerns the earlier posts too.
        basis: state.lastId === null ? basis : state.basis,
      };
      if (!(await store.savePage(workspaceId, state.revision, progress))) return false;
      await saveChanged(workspaceId, judged);
      await tell(workspaceId, newPostTopics(judged));
      if (posts.length === pageLength) return true;
      await store.remove(workspaceId, leftovers);
      if (progress.lastId === null) await store.forget(workspaceId);
      else await endCheck(workspaceId, state.told, { isOutdated: progress.basis !== basis });
      return true;
    });
  };

  const endCheck = async (workspaceId: string, told: readonly string[], { isOutdated }: { isOutdated: boolean }) => {
    const topics = await readAccountTopics(store, scheduled, workspaceId);
    const keys = topics.map(({ key }) => key);
    await store.endCheck(workspaceId, { told: keys, isOutdated });
    const began = topics.filter(({ key }) => !told.includes(key));
    await tell(workspaceId, began);
    await publish(workspaceId);
  };

  return {
    /** Judges these posts again, and what they share something with, and notifies people of new problems. */
    judgeChanged: (workspaceId: string, ids: readonly string[]) => untilSaved(() => judgeChanged(workspaceId, ids)),

    /** One page of a check of a whole workspace: one that was claimed, and goes on where the last page ended. */
    judgePage: (workspaceId: string) => untilSaved(() => judgePage(workspaceId)),

    checkedAt: store.checkedAt,

    /** Networks of posts in the next days that do not say when a sign-in expires. */
    withoutEndDate: async (workspaceId: string) => {
      const accounts = [...(await outlooks.of(workspaceId, null)).values()];
      const unknown = accounts.filter(({ status, hasEndDate }) => status === 'Connected' && !hasEndDate);
      const ids = unknown.map(({ id }) => id);
      const end = instantOf(new Date(clock.now().getTime() + forecastDays * dayMs));
      const inUse = new Set(ids.length === 0 ? [] : await reading.accountsInUse(workspaceId, ids, end));
      return [...new Set(unknown.filter(({ id }) => inUse.has(id)).map(({ network }) => network.name))].sort();
    },
  };
};
