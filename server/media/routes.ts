import type { MediaRoutes } from '#contracts/media';
import type { RouteHandlers } from '#server/context';
import type { MediaLibrary, UsesOf } from './library.ts';
import type { Removal } from './removal.ts';
import type { Uploads } from './uploads.ts';

/** What comes as JSON; a file itself is streamed past ts-rest. */
export const mediaRoutes = ({
  library,
  uploads,
  usesOf,
  remove,
}: {
  library: MediaLibrary;
  uploads: Uploads;
  usesOf: UsesOf;
  remove: Removal;
}): RouteHandlers<MediaRoutes> => ({
  searchMedia: ({ caller, query: { alt, ids, cursor, ...search } }) =>
    library.search(
      caller,
      { ...search, withoutAlt: alt === 'Missing', ids: ids.split(',').filter((id) => id !== '') },
      cursor,
      usesOf,
    ),
  uploadMedia: ({ caller, body }) => uploads.fromUrl(caller, body),
  changeMedia: ({ caller, params, body }) => library.setAlt(caller, params.id, body.alt),
  deleteMedia: async ({ caller, params: { id } }) => {
    await remove(caller, id);
    return { id, deleted: true };
  },
});
