import { useQuery } from '@tanstack/react-query';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { usePageSearch } from '#web/parts/use-page-search.ts';

export const sides = ['comments', 'history'] as const;
export type Side = (typeof sides)[number];

/** The panel beside the post, from the address. */
export const useSide = () => {
  const [search, setSearch] = usePageSearch<'side'>();
  return {
    side: sides.find((one) => one === search.side),
    openSide: (side: Side | undefined) => void setSearch({ side }, { replace: true }),
  };
};

export const useComments = (postId: string | undefined) =>
  useQuery({
    queryKey: keys.comments(postId ?? ''),
    queryFn: ({ signal }) => app.listComments({ id: postId ?? '' }, { signal }),
    enabled: postId !== undefined,
  });
