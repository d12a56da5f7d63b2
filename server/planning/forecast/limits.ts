/** How many posts a network takes in so many hours. */
export interface PostLimit {
  readonly posts: number;
  readonly hours: number;
}

export const windowMsOf = ({ hours }: PostLimit) => hours * 3_600_000;

/**
 * For each post of an account beyond the limit of its network: when there is room again. The posts are in order of time,
 * none left out, and `usedMs` are the times before the first of them at which the account used its limit, also in order.
 * Returns the times after the last post too, for the next page of posts.
 */
export const findFullUntil = (
  posts: readonly { readonly id: string; readonly atMs: number }[],
  limit: PostLimit,
  usedMs: readonly number[],
): { readonly untilMs: ReadonlyMap<string, number>; readonly usedMs: readonly number[] } => {
  const untilMs = new Map<string, number>();
  const windowMs = windowMsOf(limit);
  let last = usedMs.slice(-limit.posts);
  for (const { id, atMs } of posts) {
    const oldestMs = last.length < limit.posts ? undefined : last[0];
    if (oldestMs !== undefined && oldestMs > atMs - windowMs) untilMs.set(id, oldestMs + windowMs);
    // A post that was due before others went out comes before them.
    else last = [...last, atMs].sort((a, b) => a - b).slice(-limit.posts);
  }
  return { untilMs, usedMs: last };
};
