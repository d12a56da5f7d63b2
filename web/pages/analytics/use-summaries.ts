import { useQuery } from '@tanstack/react-query';
import { app } from '#web/base/api.ts';

/** Thumbnails of posts, and whether their numbers were read: the summary of a range has neither. */
export const useSummaries = (ids: readonly string[]) => {
  const { data } = useQuery({
    queryKey: ['posts', 'summaries', ids],
    enabled: ids.length > 0,
    queryFn: ({ signal }) => app.searchPosts({ group: 'Sent', ids: ids.join(',') }, { signal }),
  });
  return new Map(data?.posts.map((post) => [post.id, post]));
};
