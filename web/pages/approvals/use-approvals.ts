import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ApprovalCard } from '#generated/app-client';
import { app } from '#web/api.ts';
import { keys } from '#web/queries.ts';

export interface Conversation {
  id: string;
  client: string;
  title: string;
  /** Oldest first. */
  waiting: ApprovalCard[];
  /** Newest first. */
  decided: ApprovalCard[];
  /** When its newest card was created. */
  lastAt: string;
}

/** All open cards and the latest decided ones; older pages on demand. */
export const useApprovals = () => {
  const query = useInfiniteQuery({
    queryKey: keys.approvalPages,
    queryFn: ({ pageParam, signal }) => app.listApprovals(pageParam ? { cursor: pageParam } : {}, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const { data, hasNextPage, isFetching, fetchNextPage } = query;
  const cards = data?.pages.flatMap((page) => page.cards) ?? [];
  // Open cards come first, so a page that ends with one may not have them all.
  const mayMissOpen = hasNextPage && !isFetching && cards.at(-1)?.status === 'Open';
  useEffect(() => {
    if (mayMissOpen) void fetchNextPage();
  }, [mayMissOpen, fetchNextPage]);
  return { ...query, cards, conversations: conversationsOf(cards) };
};

/** Conversations with open cards first, then by newest card. */
export const conversationsOf = (cards: readonly ApprovalCard[]): Conversation[] => {
  const found = new Map<string, Conversation>();
  for (const card of cards) {
    const { id, title } = card.conversation;
    const one = found.get(id) ?? { id, title, client: card.client, waiting: [], decided: [], lastAt: card.createdAt };
    if (card.status === 'Open') one.waiting.push(card);
    else one.decided.push(card);
    if (card.createdAt > one.lastAt) one.lastAt = card.createdAt;
    found.set(id, one);
  }
  const newest = (card: ApprovalCard) => card.decidedAt ?? card.createdAt;
  for (const { waiting, decided } of found.values()) {
    waiting.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    decided.sort((a, b) => newest(b).localeCompare(newest(a)));
  }
  return [...found.values()].sort(
    (a, b) => Number(b.waiting.length > 0) - Number(a.waiting.length > 0) || b.lastAt.localeCompare(a.lastAt),
  );
};
