import type { MediaRoutes } from '#contracts/media';
import type { RouteHandlers } from '#server/context';
import type { MediaLibrary } from './library.ts';
import type { Uploads } from './uploads.ts';

/** What comes as JSON; a file itself is streamed past ts-rest. */
export const mediaRoutes = ({
  library,
  uploads,
}: {
  library: MediaLibrary;
  uploads: Uploads;
}): RouteHandlers<MediaRoutes> => ({
  searchMedia: ({ caller, query: { alt, ids, cursor, ...search } }) =>
    library.search(
      caller,
      { ...search, withoutAlt: alt === 'Missing', ids: ids.split(',').filter((id) => id !== '') },
      cursor,
    ),
  uploadMedia: ({ caller, body }) => uploads.fromUrl(caller, body),
  changeMedia: ({ caller, params, body }) => library.setAlt(caller, params.id, body.alt),
  deleteMedia: async ({ caller, params: { id } }) => {
    await library.remove(caller, id);
    return { id, deleted: true };
  },
});
