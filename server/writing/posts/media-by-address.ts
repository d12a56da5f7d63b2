import type { VersionInput } from '#contracts/posts';
import { bounds } from '#server/base/bounds';
import type { Caller } from '#server/base/context';
import { badInput } from '#server/base/errors';
import { ownMediaId } from '#server/media/item';
import type { MediaLibrary } from '#server/media/library';
import { describeUploadAddress, type UploadAddresses } from '#server/media/upload-addresses';
import type { Uploads } from '#server/media/uploads';

export type MediaByAddress = ReturnType<typeof createMediaByAddress>;

/** Versions may name files by address and give alternative texts. Both are settled in the library before a post is saved. */
export const createMediaByAddress = ({
  uploads,
  library,
  uploadAddresses,
  baseUrl,
}: {
  uploads: Uploads;
  library: MediaLibrary;
  uploadAddresses: Pick<UploadAddresses, 'offer'>;
  baseUrl: string;
}) => {
  const adviceOnSlow = (caller: Caller) => (message: string) => {
    const limit = `One call has ${bounds.addressesMs / 1000} seconds for all its addresses`;
    const upload = uploadAddresses.offer(caller);
    const way = upload ? describeUploadAddress(upload) : 'Add the file to the media library first.';
    return `${message} ${limit}. ${way}`;
  };

  const fetchAll = async (caller: Caller, versions: readonly VersionInput[]) => {
    const fields = new Map<string, string>();
    for (const { field, source } of sourcesIn(versions)) {
      if (isAddress(source) && !fields.has(source)) fields.set(source, field);
    }
    if (fields.size > bounds.addresses) {
      throw badInput({
        path: 'versions',
        code: 'TooBig',
        message: `must name at most ${bounds.addresses} addresses of files in one call: add the others with posts.update`,
        limit: bounds.addresses,
        actual: fields.size,
      });
    }
    const sources = [...fields].map(([url, field]) => ({ url, field }));
    const ids = await uploads.fromAddresses(caller, sources, adviceOnSlow(caller));
    return new Map(sources.map(({ url }, index) => [url, ids[index] ?? url]));
  };

  return {
    /** Replaces addresses of this installation with the media ids in them. */
    withOwnIds: (versions: readonly VersionInput[]) =>
      replaceSources(versions, (source) => ownMediaId(source, baseUrl) ?? source),

    isNeeded: (versions: readonly VersionInput[]) =>
      versions.some(({ content }) => content.some(({ media, alt }) => alt !== undefined || media.some(isAddress))),

    /** Replaces addresses with media ids. If any address cannot be used, adds nothing and throws one issue for each. */
    settle: async (caller: Caller, versions: readonly VersionInput[]): Promise<VersionInput[]> => {
      mustBeBesideMedia(versions);
      const idOf = await fetchAll(caller, versions);
      const settled = replaceSources(versions, (source) => idOf.get(source) ?? source);
      await library.giveAlts(caller, altsIn(settled));
      return settled.map((version) => ({ ...version, content: version.content.map(({ alt: _, ...item }) => item) }));
    },
  };
};

/** A scheme and a colon; media ids have neither. */
export const isAddress = (source: string) => /^[a-z][a-z\d+.-]*:/i.test(source);

const sourcesIn = (versions: readonly VersionInput[]) =>
  versions.flatMap(({ content }, v) =>
    content.flatMap(({ media }, i) =>
      media.map((source, m) => ({ field: `versions.${v}.content.${i}.media.${m}`, source })),
    ),
  );

const replaceSources = (versions: readonly VersionInput[], replace: (source: string) => string): VersionInput[] =>
  versions.map((version) => ({
    ...version,
    content: version.content.map((item) => ({ ...item, media: item.media.map(replace) })),
  }));

const mustBeBesideMedia = (versions: readonly VersionInput[]) => {
  for (const [v, { content }] of versions.entries()) {
    for (const [i, { media, alt = [] }] of content.entries()) {
      if (alt.length <= media.length) continue;
      throw badInput({
        path: `versions.${v}.content.${i}.alt`,
        code: 'TooBig',
        message: `must have at most as many entries as media, which has ${media.length}`,
        limit: media.length,
        actual: alt.length,
      });
    }
  }
};

/** The first text for each file. */
const altsIn = (versions: readonly VersionInput[]) => {
  const alts = new Map<string, string>();
  for (const { content } of versions) {
    for (const { media, alt = [] } of content) {
      for (const [m, id] of media.entries()) if (alt[m] && !alts.has(id)) alts.set(id, alt[m]);
    }
  }
  return alts;
};
