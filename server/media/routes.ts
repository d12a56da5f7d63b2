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
  uploadMedia: ({ caller, body }) => uploads.fromUrl(caller, body),
  changeMedia: ({ caller, params, body }) => library.setAlt(caller, params.id, body.alt),
  deleteMedia: async ({ caller, params: { id } }) => {
    await library.remove(caller, id);
    return { id, deleted: true };
  },
});
