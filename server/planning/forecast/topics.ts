import type { ForecastEntry } from '#contracts/posts';
import type { NewNotification } from '#server/messaging/notifications/notifications';
import type { ForecastRow, ScheduledPosts } from '#server/writing/posts/scheduled-posts';
import { rules } from './rules.ts';
import type { CountedTopic, ForecastStore } from './store.ts';

/** What people are notified of once: a cause on an account with all its posts, or on a single post. */
export interface Topic {
  readonly key: string;
  readonly entry: ForecastEntry;
  readonly posts: number;
  /** One of them, and its text. */
  readonly postId: string;
  readonly text: string | null;
}

const toldRules = rules.filter(({ isToldElsewhere = false }) => !isToldElsewhere);
const accountCodes = toldRules.filter(({ isOfAccount = false }) => isOfAccount).map(({ code }) => code);
const postCodes = toldRules.filter(({ isOfAccount = false }) => !isOfAccount).map(({ code }) => code);

type KeyParts = Pick<CountedTopic, 'level' | 'code'>;
const keyOf = ({ level, code }: KeyParts, id: string) => `${level} ${code} ${id}`;

/** Causes on this post alone, by key. */
const postTopics = (postId: string, entries: readonly ForecastEntry[]) =>
  new Map(entries.filter(({ code }) => postCodes.includes(code)).map((entry) => [keyOf(entry, postId), entry]));

/** Causes that the post shares with others of the same account, by key. */
export const accountTopics = (entries: readonly ForecastEntry[]) =>
  new Map(
    entries
      .filter(({ code }) => accountCodes.includes(code))
      .map((entry) => [keyOf(entry, entry.accountId ?? ''), entry]),
  );

/** What is foretold of single posts now, and was not when they were judged before. */
export const newPostTopics = (
  judged: readonly {
    readonly before: ForecastRow | undefined;
    readonly now: ForecastRow;
    readonly text: string | null;
  }[],
): Topic[] =>
  judged.flatMap(({ before, now, text }) => {
    const old = postTopics(now.postId, before?.entries ?? []);
    return [...postTopics(now.postId, now.entries)].flatMap(([key, entry]) =>
      old.has(key) ? [] : [{ key, entry, posts: 1, postId: now.postId, text }],
    );
  });

/** All causes on accounts of a workspace that was judged whole. */
export const readAccountTopics = async (
  store: ForecastStore,
  scheduled: ScheduledPosts,
  workspaceId: string,
): Promise<Topic[]> => {
  const counted = await store.countTopics(workspaceId, accountCodes);
  const posts = new Map(
    (
      await scheduled.entriesOf(
        workspaceId,
        counted.map(({ postId }) => postId),
      )
    ).map((post) => [post.id, post]),
  );
  return counted.flatMap(({ posts: count, postId, ...parts }) => {
    const key = keyOf(parts, parts.accountId);
    const { entries = [], text = null } = posts.get(postId) ?? {};
    const entry = accountTopics(entries).get(key);
    return entry === undefined ? [] : [{ key, entry, posts: count, postId, text }];
  });
};

export const toNotification = (
  workspaceId: string,
  { key, entry: { level, provider, short, message }, posts, postId, text }: Topic,
): NewNotification => {
  const isOne = posts === 1;
  const which = isOne ? 'A scheduled post' : `${posts} scheduled posts`;
  const where = provider === undefined ? 'go out' : `reach ${provider}`;
  return {
    workspaceId,
    kind: 'post.forecast',
    subjectId: key,
    title: level === 'Blocks' ? `${which} will not ${where}: ${short}` : `${which} may surprise you: ${short}`,
    detail: message,
    ...(isOne && text !== null && { text }),
    path: isOne ? `/posts/${postId}` : '/',
  };
};
