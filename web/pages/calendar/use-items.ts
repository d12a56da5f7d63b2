import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ApprovalCard, PostSummary } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions, useZone } from '#web/base/session.ts';
import { instantOf, wallTime } from '#web/base/time.ts';
import { useDeleted } from '#web/parts/post-actions.ts';
import { type State, stateOf } from '#web/parts/state-chip.tsx';
import { useOpenApprovals } from '#web/parts/use-open-approvals.ts';

export interface Item {
  post: PostSummary;
  at: string;
  /** In the person's zone. */
  wall: string;
  state: State;
  isMovable: boolean;
}

/** The requested time, if the card asks to schedule a post. */
export const askedTime = (card: ApprovalCard | undefined) =>
  card?.action === 'posts.schedule' && typeof card.input.at === 'string' ? card.input.at : undefined;

/** Enough for a year of a busy workspace. */
const mostPages = 5;

/** Posts with a time in [from, to), sorted by time. `moved`: times of moves that are still being saved. */
export const useItems = (
  [from, to]: readonly [string, string],
  { accountIds, labelIds }: { accountIds: string; labelIds: string },
  moved: ReadonlyMap<string, string>,
) => {
  const zone = useZone();
  const { canWrite } = usePermissions();
  const deleted = useDeleted();
  const { open, ofPost: waiting } = useOpenApprovals();
  const input = { group: 'Timed', from: instantOf(from, zone), to: instantOf(to, zone), accountIds, labelIds } as const;
  const { data, error, refetch, isPending, isPlaceholderData } = useQuery({
    queryKey: keys.search(input),
    queryFn: async ({ signal }) => {
      const posts: PostSummary[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < mostPages; page++) {
        const answer = await app.searchPosts({ ...input, ...(cursor !== undefined && { cursor }) }, { signal });
        posts.push(...answer.posts);
        cursor = answer.nextCursor;
        if (cursor === undefined) break;
      }
      return { posts };
    },
    placeholderData: (before) => before,
  });
  const items = useMemo(() => {
    const posts = data?.posts ?? [];
    const requested: PostSummary[] = open.flatMap((card) => {
      const post = summaryOf(card);
      const isNew = post !== undefined && !posts.some(({ id }) => id === post.id);
      const isInFilter =
        labelIds === '' && (accountIds === '' || post?.accountIds.some((id) => accountIds.includes(id)));
      return isNew && isInFilter && post.scheduledAt >= input.from && post.scheduledAt < input.to ? [post] : [];
    });
    return (
      [...posts, ...requested]
        .filter(({ id }) => !deleted.has(id))
        .map((post): Item => {
          const at = moved.get(post.id) ?? post.publishedAt ?? post.scheduledAt ?? post.updatedAt;
          const isMovable =
            canWrite && !requested.includes(post) && (post.status === 'Draft' || post.status === 'Scheduled');
          const state = post.status === 'Draft' && waiting.has(post.id) ? 'Waiting' : stateOf(post);
          return { post, at, wall: wallTime(at, zone), state, isMovable };
        })
        // Until a new range has loaded, show the posts that it shares with the previous one.
        .filter(({ wall }) => wall >= from && wall < to)
        .sort((a, b) => a.at.localeCompare(b.at))
    );
  }, [data, deleted, open, waiting, moved, canWrite, zone, accountIds, labelIds, from, to, input.from, input.to]);
  return {
    items,
    error,
    refetch,
    isLoading: isPending || isPlaceholderData,
    /** Whether all items of the range have loaded, so that a day without one is really empty. */
    isLoaded: data !== undefined && !isPlaceholderData,
  };
};

/** A draft with a schedule request, at the requested time. */
const summaryOf = (card: ApprovalCard): (PostSummary & { scheduledAt: string }) | undefined => {
  const [at, post] = [askedTime(card), card.post];
  if (at === undefined || post === undefined || post.status !== 'Draft') return undefined;
  const { id, status, accountIds, results, updatedAt, versions } = post;
  const content = versions[0]?.content ?? [];
  const scheduledAt = new Date(at).toISOString();
  return {
    id,
    status,
    accountIds,
    results,
    updatedAt,
    scheduledAt,
    text: content[0]?.body ?? '',
    items: content.length,
    labelIds: [],
  };
};
