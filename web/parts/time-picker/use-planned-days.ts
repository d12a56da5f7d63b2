import { useQuery } from '@tanstack/react-query';
import type { PostSummary } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { addDays, dateIn, instantOf } from '#web/base/time.ts';

/** Limits the number of requests for a month with very many posts. */
const maxPages = 4;

/** Scheduled posts by day of the month that has this date. */
export const usePlannedDays = (date: string, zone: string): ReadonlyMap<string, number> => {
  const first = `${date.slice(0, 7)}-01`;
  const next = `${addDays(first, 31).slice(0, 7)}-01`;
  const input = { from: instantOf(first, zone), to: instantOf(next, zone) };
  const { data } = useQuery({
    queryKey: keys.search({ planned: input }),
    queryFn: ({ signal }) => readTimes(input, signal),
    staleTime: 60_000,
  });
  const days = new Map<string, number>();
  for (const at of data ?? []) {
    const day = dateIn(at, zone);
    days.set(day, (days.get(day) ?? 0) + 1);
  }
  return days;
};

const readTimes = async (range: { from: string; to: string }, signal: AbortSignal) => {
  const posts: PostSummary[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const query = { group: 'Timed', status: 'Scheduled', ...range, ...(cursor && { cursor }) } as const;
    const answer = await app.searchPosts(query, { signal });
    posts.push(...answer.posts);
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return posts.flatMap(({ scheduledAt }) => scheduledAt ?? []);
};
