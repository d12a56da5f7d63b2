import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ApprovalCard } from '#generated/app-client';
import { queries } from '#web/base/queries.ts';

const none: readonly ApprovalCard[] = [];

/** Open approval requests, oldest first. */
export const useOpenApprovals = () => {
  const cards: readonly ApprovalCard[] = useQuery(queries.approvals).data?.cards ?? none;
  return useMemo(() => {
    const open = cards
      .filter(({ status }) => status === 'Open')
      .toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
    /** By post id. */
    const ofPost = new Map(open.flatMap((card) => (card.post ? [[card.post.id, card] as const] : [])));
    return { open, ofPost };
  }, [cards]);
};
