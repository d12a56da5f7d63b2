import type { MediaRoutes } from '#contracts/media';
import type { RouteHandlers } from '#server/context';
import type { MediaLibrary } from './library.ts';
import type { Removal } from './removal.ts';
import type { Uploads } from './uploads.ts';

/** What comes as JSON; a file itself is streamed past ts-rest. */
export const mediaRoutes = ({
  library,
  uploads,
  remove,
}: {
  library: MediaLibrary;
  uploads: Uploads;
  remove: Removal;
}): RouteHandlers<MediaRoutes> => ({
  uploadMedia: ({ caller, body }) => uploads.fromUrl(caller, body),
  changeMedia: ({ caller, params, body }) => library.setAlt(caller, params.id, body.alt),
  deleteMedia: async ({ caller, params: { id } }) => {
    await remove(caller, id);
    return { id, deleted: true };
  },
});
