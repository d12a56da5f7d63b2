import type { MediaRoutes } from '#contracts/media';
import type { RouteCall, RouteHandlers } from '#server/base/context';
import { keyOf, markReplayed } from '#server/base/idempotency/header';
import { idsIn } from '#server/base/ids';
import type { IsScheduled, MediaLibrary, UsesOf } from './library.ts';
import type { Removal } from './removal.ts';
import type { UploadOnce } from './upload-once.ts';

/** The JSON routes; files are streamed past ts-rest. */
export const mediaRoutes = ({
  library,
  uploadOnce,
  usesOf,
  isScheduled,
  remove,
}: {
  library: MediaLibrary;
  uploadOnce: UploadOnce;
  usesOf: UsesOf;
  isScheduled: IsScheduled;
  remove: Removal;
}): RouteHandlers<MediaRoutes> => {
  const fetchFile = async ({
    caller,
    body,
    exchange: { req, res },
  }: Pick<RouteCall<MediaRoutes['uploadMediaFromUrl']>, 'caller' | 'body' | 'exchange'>) => {
    const { item, replayed } = await uploadOnce.fromUrl(caller, keyOf(req), body);
    if (replayed) markReplayed(res);
    return item;
  };
  return {
    searchMedia: ({ caller, query: { alt, ids, cursor, ...search } }) =>
      library.search(caller, { ...search, withoutAlt: alt === 'Missing', ids: idsIn(ids) }, cursor, usesOf),
    // Deprecated: before uploadMediaFromUrl existed, callers sent the address here, and some still do.
    uploadMedia: fetchFile,
    uploadMediaFromUrl: fetchFile,
    changeMedia: ({ caller, params, body }) => library.setAlt(caller, params.id, body.alt, isScheduled),
    deleteMedia: async ({ caller, params: { id } }) => {
      await remove(caller, id);
      return { id, deleted: true };
    },
  };
};
