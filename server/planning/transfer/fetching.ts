import type { Caller } from '#server/base/context';
import { Refusal } from '#server/base/errors';
import { ownMediaId } from '#server/media/item';
import type { MediaLibrary } from '#server/media/library';
import type { Uploads } from '#server/media/uploads';
import type { EntryMedia } from './entry.ts';
import type { ImportStore } from './import-store.ts';

export type Fetching = ReturnType<typeof createFetching>;

/** Fetches the files of imported rows into the library, each once per import. */
export const createFetching = ({
  store,
  library,
  uploads,
  baseUrl,
}: {
  store: ImportStore;
  library: MediaLibrary;
  uploads: Uploads;
  baseUrl: string;
}) => {
  /** A file of this installation is copied without the network; one of this workspace is reused. */
  const own = async (caller: Caller, id: string, alt: string) => {
    const [item] = await library.items(caller, [id]);
    if (item && (item.alt ?? '') === alt) return item.id;
    const { stream } = await (await library.open(id, 'original')).read();
    return (await uploads.keep(caller, await uploads.receive(stream, 'media'), { alt, name: undefined })).id;
  };

  return async (caller: Caller, importId: string, { url, alt = '' }: EntryMedia): Promise<string> => {
    const fetchedId = await store.fetched(caller.workspaceId, importId, url, alt);
    if (fetchedId !== undefined) return fetchedId;
    const ownId = ownMediaId(url, baseUrl);
    try {
      const id = ownId
        ? await own(caller, ownId, alt)
        : (await uploads.fromUrl(caller, { url, ...(alt && { alt }) })).id;
      await store.addFetched(caller.workspaceId, importId, url, alt, id);
      return id;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const why = error.message.replace(/^(url|media) /, '');
      throw new Refusal(error.code, `media ${url.slice(0, 200)} ${why}`, error.issues);
    }
  };
};
