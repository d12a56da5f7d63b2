import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ApprovalCard } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';

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
  const hasMoreOpen = hasNextPage && !isFetching && cards.at(-1)?.status === 'Open';
  useEffect(() => {
    if (hasMoreOpen) void fetchNextPage();
  }, [hasMoreOpen, fetchNextPage]);
  return { ...query, cards };
};

/** Conversations with open cards first, then by newest card. */
export const conversationsOf = (cards: readonly ApprovalCard[]): Conversation[] => {
  const conversations = new Map<string, Conversation>();
  for (const card of cards) {
    const { id, title } = card.conversation;
    const conversation = conversations.get(id) ?? {
      id,
      title,
      client: card.client,
      waiting: [],
      decided: [],
      lastAt: card.createdAt,
    };
    if (card.status === 'Open') conversation.waiting.push(card);
    else conversation.decided.push(card);
    if (card.createdAt > conversation.lastAt) conversation.lastAt = card.createdAt;
    conversations.set(id, conversation);
  }
  const newest = (card: ApprovalCard) => card.decidedAt ?? card.createdAt;
  for (const { waiting, decided } of conversations.values()) {
    waiting.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    decided.sort((a, b) => newest(b).localeCompare(newest(a)));
  }
  return [...conversations.values()].sort(
    (a, b) => Number(b.waiting.length > 0) - Number(a.waiting.length > 0) || b.lastAt.localeCompare(a.lastAt),
  );
};
