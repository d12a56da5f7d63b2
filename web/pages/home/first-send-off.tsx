import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { queries } from '#web/base/queries.ts';

const Board = lazy(() => import('#web/send-off/board.tsx'));

export const FirstSendOff = ({ postId }: { postId: string }) => {
  const { data: post } = useQuery(queries.post(postId));
  return <Suspense>{post && <Board post={post} isFresh />}</Suspense>;
};
