import { useQuery } from '@tanstack/react-query';
import { app } from '#web/api.ts';

/** The summary has no thumbnails; fetch them separately. */
export const useThumbnails = (ids: readonly string[]) => {
  const { data } = useQuery({
    queryKey: ['posts', 'thumbnails', ids],
    enabled: ids.length > 0,
    queryFn: ({ signal }) => app.searchPosts({ group: 'Sent', ids: ids.join(',') }, { signal }),
  });
  return new Map(data?.posts.map(({ id, thumbnailUrl }) => [id, thumbnailUrl]));
};
