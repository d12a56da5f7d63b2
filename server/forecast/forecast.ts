import { createHash } from 'node:crypto';
import { forecastDays } from '#contracts/forecast';
import { instantOf } from '#contracts/instant';
import type { ForecastEntry } from '#contracts/posts';
import type { AccountOutlook, AccountOutlooks } from '#server/accounts/outlook';
import type { Clock } from '#server/clock';
import type { Live } from '#server/live/live';
import type { MediaLibrary } from '#server/media/library';
import type { NewNotification, Notifications } from '#server/notifications/notifications';
import type { Plans } from '#server/plans/plans';
import type { Lifecycle } from '#server/posts/lifecycle';
import type { Reading, ScheduledPost } from '#server/posts/reading';
import type { SlotQueue } from '#server/slots/queue';
import type { Deletion } from '#server/workspaces/deletion';
import { findClockChanges } from './clock-changes.ts';
import { inOrder, type PlannedPost, type Rule, rules, type Situation } from './rules.ts';
import type { ForecastRow, ForecastStore } from './store.ts';

const dayMs = 24 * 3_600_000;

export type Forecast = ReturnType<typeof createForecast>;

/** What will happen to scheduled posts as things stand. One rule for each cause: see rules.ts. */
export const createForecast = ({
  store,
  reading,
  lifecycle,
  outlooks,
  library,
  plans,
  slots,
  deletion,
  notifications,
  live,
  clock,
}: {
  store: ForecastStore;
  reading: Reading;
  lifecycle: Pick<Lifecycle, 'findBrokenLimits'>;
  outlooks: AccountOutlooks;
  library: Pick<MediaLibrary, 'find'>;
  plans: Pick<Plans, 'read'>;
  slots: Pick<SlotQueue, 'read'>;
  deletion: Pick<Deletion, 'dateOf'>;
  notifications: Pick<Notifications, 'tell'>;
  live: Pick<Live, 'publish'>;
  clock: Clock;
}) => {
  /** Finds broken limits in posts of the next days. Examines only posts whose content, accounts or files changed. */
  const examineContent = async (
    workspaceId: string,
    posts: readonly ScheduledPost[],
    accounts: ReadonlyMap<string, AccountOutlook>,
    before: ReadonlyMap<string, ForecastRow>,
  ): Promise<ReadonlyMap<string, Pick<ForecastRow, 'contentKey' | 'content'>>> => {
    const files = await library.find({ workspaceId }, [...new Set(posts.flatMap(({ media }) => media))]);
    const fileTexts = new Map([...files].map(([id, file]) => [id, JSON.stringify(file)]));
    const today = instantOf(clock.now()).slice(0, 10);
    const keys = new Map(posts.map((post) => [post.id, contentKey(post, accounts, fileTexts, today)]));
    const changed = posts.filter(({ id }) => before.get(id)?.contentKey !== keys.get(id)).map(({ id }) => id);
    const full = changed.length === 0 ? [] : await reading.many({ workspaceId }, changed);
    const connected = [...accounts.values()].filter(({ status }) => status !== 'Disconnected');
    const issues = await lifecycle.findBrokenLimits(
      workspaceId,
      full,
      // The account data that the keys were made from, so that an account that changes meanwhile is examined again.
      new Map(connected.map(({ id, network, facts }) => [id, { network: network.key, facts: JSON.parse(facts) }])),
    );
    return new Map(
      posts.map(({ id }) => [
        id,
        { contentKey: keys.get(id) ?? '', content: issues.get(id) ?? before.get(id)?.content ?? [] },
      ]),
    );
  };

  const read = async (workspaceId: string, before: ReadonlyMap<string, ForecastRow>) => {
    const now = clock.now();
    const nowMs = now.getTime();
    const scheduled = await reading.scheduled(workspaceId);
    const accounts = await outlooks.of(workspaceId, [...new Set(scheduled.flatMap(({ accountIds }) => accountIds))]);
    const near = scheduled.filter(({ scheduledAt }) => isNear(Date.parse(scheduledAt), nowMs));
    const content = await examineContent(workspaceId, near, accounts, before);
    const limited = [...accounts.values()].filter(({ network }) => network.postQuota !== undefined);
    const week = await slots.read(workspaceId);
    const lastAt = scheduled.at(-1)?.scheduledAt;
    const situation: Situation = {
      nowMs,
      accounts,
      issues: new Map([...content].map(([id, one]) => [id, one.content])),
      posts: scheduled.map(toPlanned),
      publishedMs: await store.published(
        workspaceId,
        limited.map(({ id }) => id),
        new Date(nowMs - dayMs),
      ),
      refusedPermissions: await reading.refusedPermissions(workspaceId),
      plan: await plans.read(workspaceId),
      slots: week,
      clockChanges: findClockChanges(
        nowMs - dayMs,
        (lastAt === undefined ? nowMs : Date.parse(lastAt)) + dayMs,
        week.timeZone || 'UTC',
      ),
      deleteAt: await deletion.dateOf(workspaceId),
    };
    return { situation, content };
  };

  /**
   * Computes everything before the transaction begins: PostgreSQL ends a transaction that is idle for ten seconds,
   * which a busy event loop can cause.
   */
  const check = async (workspaceId: string): Promise<void> => {
    const { startedAt, checkedAt } = await store.beginCheck(workspaceId);
    const before = await store.list(workspaceId);
    const { situation, content } = await read(workspaceId, before);
    const entries = findEntries(situation);
    const rows = situation.posts.map(({ id, atMs }): ForecastRow => {
      const { contentKey = '', content: issues = [] } = content.get(id) ?? {};
      return {
        postId: id,
        scheduledAt: instantOf(new Date(atMs)),
        contentKey,
        content: issues,
        entries: entries.get(id) ?? [],
      };
    });
    const changed = rows.filter((row) => !isSame(before.get(row.postId), row));
    const current = new Set(rows.map(({ postId }) => postId));
    const gone = [...before.keys()].filter((id) => !current.has(id));
    const isShown = changed.some(({ postId, entries: now }) => !isEqual(before.get(postId)?.entries ?? [], now));
    const topics = groupByTopic(entries);
    const isSaved = await store.transaction(async () => {
      const last = await store.lockCheck(workspaceId, startedAt);
      if (last === undefined) return true;
      // Another process checked it meanwhile, perhaps with newer posts.
      if (last.checkedAt !== (checkedAt ?? startedAt)) return false;
      await store.save(workspaceId, changed);
      await store.remove(workspaceId, gone);
      await notifications.tell(
        [...topics].flatMap(([topic, about]) =>
          last.told.includes(topic) ? [] : [toNotification(workspaceId, topic, about, situation.posts)],
        ),
      );
      if (rows.length === 0) await store.forget(workspaceId);
      else await store.endCheck(workspaceId, startedAt, [...topics.keys()]);
      if (isShown) await live.publish({ workspaceId, kind: 'forecast', id: workspaceId });
      return true;
    });
    if (!isSaved) await check(workspaceId);
  };

  return {
    /** Checks the scheduled posts of a workspace again, and notifies people of new problems. */
    check,

    /** Workspaces whose posts changed after their last check: the process that should have checked them may have died. */
    findMissed: async () => {
      const all = await reading.scheduledWorkspaces();
      const checked = await store.checkedAll(all.map(({ workspaceId }) => workspaceId));
      return all
        .filter(({ workspaceId, updatedAt }) => (checked.get(workspaceId) ?? '') < updatedAt)
        .map(({ workspaceId }) => workspaceId);
    },

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

const isNear = (atMs: number, nowMs: number) => atMs < nowMs + forecastDays * dayMs;

const toPlanned = ({ id, accountIds, reachedIds, scheduledAt, text }: ScheduledPost): PlannedPost => ({
  id,
  atMs: Date.parse(scheduledAt),
  accountIds: accountIds.filter((accountId) => !reachedIds.includes(accountId)),
  text: text ?? '',
});

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

const isEqual = (a: readonly ForecastEntry[], b: readonly ForecastEntry[]) =>
  a.length === b.length && JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** The database orders the keys of objects its own way. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, one]) => [key, sorted(one)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
};

const isSame = (before: ForecastRow | undefined, now: ForecastRow) =>
  before !== undefined &&
  before.contentKey === now.contentKey &&
  before.scheduledAt === now.scheduledAt &&
  isEqual(before.entries, now.entries);

interface Topic {
  readonly entry: ForecastEntry;
  readonly postIds: readonly string[];
}

const ruleOf = new Map(rules.map((rule) => [rule.code, rule]));

/** One notification each: an account with all its posts, or a single post. */
const groupByTopic = (entries: ReadonlyMap<string, readonly ForecastEntry[]>): ReadonlyMap<string, Topic> => {
  const topics = new Map<string, Topic>();
  for (const [postId, own] of entries) {
    for (const entry of own) {
      const { isToldElsewhere = false, isOfAccount = false } = ruleOf.get(entry.code) ?? {};
      if (isToldElsewhere) continue;
      const topic = `${entry.level} ${entry.code} ${isOfAccount ? entry.accountId : postId}`;
      const { entry: first = entry, postIds = [] } = topics.get(topic) ?? {};
      topics.set(topic, { entry: first, postIds: [...postIds, postId] });
    }
  }
  return topics;
};

const toNotification = (
  workspaceId: string,
  topic: string,
  { entry: { level, provider, short, message }, postIds }: Topic,
  posts: readonly PlannedPost[],
): NewNotification => {
  const [first = ''] = postIds;
  const isOne = postIds.length === 1;
  const which = isOne ? 'A scheduled post' : `${postIds.length} scheduled posts`;
  const where = provider === undefined ? 'go out' : `reach ${provider}`;
  return {
    workspaceId,
    kind: 'post.forecast',
    subjectId: topic,
    title: level === 'Blocks' ? `${which} will not ${where}: ${short}` : `${which} may surprise you: ${short}`,
    detail: message,
    ...(isOne && { text: posts.find(({ id }) => id === first)?.text }),
    path: isOne ? `/posts/${first}` : '/',
  };
};
