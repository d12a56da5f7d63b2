import type { Caller } from '#server/context';
import { Refusal } from '#server/errors';
import type { MediaLibrary } from '#server/media/library';
import type { Uploads } from '#server/media/uploads';
import type { EntryMedia } from './entry.ts';
import type { ImportStore } from './store.ts';

export type Fetching = ReturnType<typeof createFetching>;

/** The files that imported rows name, as items of the library. Each is fetched once an import. */
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
  /** A file of this installation is not asked for over the network; one of this workspace is used as it is. */
  const own = async (caller: Caller, id: string, alt: string) => {
    const [here] = await library.items(caller, [id]);
    if (here && (here.alt ?? '') === alt) return here.id;
    const { stream } = await (await library.open(id, 'original')).read();
    return (await uploads.keep(caller, await uploads.receive(stream, 'media'), { alt, name: undefined })).id;
  };

  return async (caller: Caller, importId: string, { url, alt = '' }: EntryMedia): Promise<string> => {
    const known = await store.fetched(caller.workspaceId, importId, url, alt);
    if (known !== undefined) return known;
    const ownId = ownMedia(url, baseUrl);
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

const ownMedia = (url: string, baseUrl: string) =>
  url.startsWith(`${baseUrl}/media/`) ? /^media_[0-9A-Z]{26}$/.exec(url.slice(baseUrl.length + 7))?.[0] : undefined;
