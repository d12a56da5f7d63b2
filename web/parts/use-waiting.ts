import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ApprovalCard } from '#generated/app-client';
import { queries } from '#web/queries.ts';

const none: readonly ApprovalCard[] = [];

/** What agents ask for and nobody has decided, oldest first. */
export const useWaiting = () => {
  const cards: readonly ApprovalCard[] = useQuery(queries.approvals).data?.cards ?? none;
  return useMemo(() => {
    const open = cards
      .filter(({ status }) => status === 'Open')
      .toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
    /** By the post they are about. */
    const ofPost = new Map(open.flatMap((card) => (card.post ? [[card.post.id, card] as const] : [])));
    return { open, ofPost };
  }, [cards]);
};
