import { open, rm, stat, writeFile } from 'node:fs/promises';
import { isUrl } from '#contracts/is-url';
import type { MediaItem } from '#contracts/media';
import type { Rights } from '#server/access/auth/rights';
import { bounds } from '#server/base/bounds';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { badInput, Refusal } from '#server/base/errors';
import { newSecretId } from '#server/base/ids';
import { createSemaphore } from '#server/base/jobs/semaphore';
import type { Live } from '#server/base/live/live';
import type { Outbound } from '#server/base/outbound/guarded-client';
import { troubleFrom } from '#server/base/outbound/trouble';
import { readDocument } from './document.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import type { FileType } from './file-type.ts';
import type { MediaFiles } from './files.ts';
import { placeholder, readImage, thumbnailOf } from './image.ts';
import { describeUpload, type Incoming, type Received } from './incoming.ts';
import { thumbnailKey, toMediaItem } from './item.ts';
import type { MediaStore } from './media-store.ts';
import { readVideo, type Video } from './video.ts';

const downloadTimeoutMs = 300_000;
const maxRedirects = 5;

export type Uploads = ReturnType<typeof createUploads>;

/** Writes the record of a stored file, or finds that an earlier request wrote it. */
export type Record = (write: () => Promise<MediaItem>) => Promise<MediaItem>;

/** What an upload reads from a file. */
interface FileFacts extends Omit<Video, 'durationMs'> {
  readonly durationMs: number | null;
  readonly thumbnail: Buffer;
}

/** A file that was read completely, with its thumbnail beside it. Not stored yet. */
interface Inspected {
  readonly path: string;
  readonly about: FileType & Omit<FileFacts, 'thumbnail'> & { readonly bytes: number; readonly sha256: string };
}

interface Download {
  readonly url: string;
  /** The field of the request that names the address, for error messages. */
  readonly field: string;
  /** The deadline, by `performance.now()`. */
  readonly untilMs: number;
}

export type AddressSource = Pick<Download, 'url' | 'field'>;

/** The address may be correct, so the advice is different: a caller who has the file can upload it instead. */
class TooSlow extends Error {}

/** How a file gets into the library: received completely, checked, stored, and only then recorded. */
export const createUploads = ({
  store,
  rights,
  files,
  incoming,
  ffmpeg,
  outbound,
  live,
  baseUrl,
  maxLibraryBytes,
  addressesMs = bounds.addressesMs,
  clock,
}: {
  store: MediaStore;
  rights: Rights;
  files: MediaFiles;
  incoming: Incoming;
  ffmpeg: Ffmpeg;
  outbound: Outbound;
  live: Live;
  baseUrl: string;
  maxLibraryBytes: number | undefined;
  /** Time limit for all addresses of one call. */
  addressesMs?: number | undefined;
  clock: Clock;
}) => {
  /** Reads and cleans the file, and makes its thumbnail. Finds out what is wrong with a file before it is stored. */
  const inspect = async ({ path, type, field, sha256 }: Received): Promise<Inspected> => {
    const { thumbnail, ...facts } = await describeUpload(
      field,
      (): Promise<FileFacts> =>
        ({
          Image: image,
          Video: (from: string, mimeType: string) => video(from, mimeType, ffmpeg),
          Document: readDocument,
        })[type.kind](path, type.mimeType),
    );
    const { size: bytes } = await stat(path);
    await describeUpload(field, () => writeFile(thumbnailPathOf(path), thumbnail, { flush: true }));
    return { path, about: { ...type, ...facts, bytes, sha256 } };
  };

  const mustFitLibrary = async (workspaceId: string, bytes: number) => {
    if (maxLibraryBytes === undefined) return;
    await store.lockLibrary(workspaceId);
    if ((await store.libraryBytes(workspaceId)) + bytes > maxLibraryBytes) throw libraryFull(maxLibraryBytes);
  };

  const discard = async ({ path }: Pick<Received, 'path'>) => {
    await Promise.all([path, thumbnailPathOf(path)].map((one) => rm(one, { force: true })));
  };

  const add = async (
    caller: Caller,
    { path, about }: Inspected,
    { alt, name }: { alt: string | undefined; name: string | undefined },
    record: Record = (write) => write(),
  ): Promise<MediaItem> => {
    const id = newSecretId('media', clock.now());
    await unlessRefused(files.put(thumbnailKey(id), thumbnailPathOf(path), 'image/webp'));
    await unlessRefused(files.put(id, path, about.mimeType));
    const row = { ...about, alt: alt || null, fileName: tidyName(name) };
    const removeFiles = () => Promise.all([files.remove(id), files.remove(thumbnailKey(id))]);
    const write = () =>
      store.transaction(async () => {
        const by = await rights.mustHold(caller);
        await mustFitLibrary(by.workspaceId, about.bytes);
        const inserted = await store.insert(by, { id, ...row });
        await live.publish({ workspaceId: by.workspaceId, kind: 'media', id });
        return toMediaItem(inserted, baseUrl);
      });
    const item = await record(write).catch(async (error: unknown) => {
      // If the database connection broke, the row may exist, so only a refusal removes the files. The sweep removes any
      // others.
      if (error instanceof Refusal) await removeFiles();
      throw error;
    });
    if (item.id !== id) await removeFiles();
    return item;
  };

  /** Takes ownership of the received file, even if it fails. */
  const keep = async (
    caller: Caller,
    received: Received,
    about: { alt: string | undefined; name: string | undefined },
    record?: Record,
  ): Promise<MediaItem> => {
    try {
      return await add(caller, await inspect(received), about, record);
    } finally {
      await discard(received);
    }
  };

  const download = async ({ url, field, untilMs }: Download, redirects = 0): Promise<Received> => {
    const wrong = (message: string) => badUrl(field, message);
    const answer = await outbound.open(url, { timeoutMs: Math.max(1, Math.ceil(untilMs - performance.now())) });
    if (!answer.ok) throw answer.reason === 'timeout' ? new TooSlow(answer.message) : wrong(answer.message);
    const { status, headers, body } = answer;
    if (status === 200) {
      const broken = (error: unknown) =>
        troubleFrom(error).reason === 'timeout'
          ? new TooSlow('The file did not arrive in time.')
          : wrong('The connection broke before the file was complete.');
      return incoming.receive(unlessBroken(body, broken), field, Number(headers['content-length']) || 0);
    }
    body.destroy();
    const next = [301, 302, 303, 307, 308].includes(status) && [headers.location].flat()[0];
    if (!next || !isUrl(next, url))
      throw wrong(`The address answered ${status} instead of a file.${advice[status] ?? ''}`);
    if (redirects === maxRedirects) throw wrong('The address leads from one redirect to the next.');
    return download({ url: new URL(next, url).href, field, untilMs }, redirects + 1);
  };

  /** The item that has these bytes already, or a new one. */
  const addOnce = async (caller: Caller, inspected: Inspected, name: string | undefined): Promise<string> => {
    const { workspaceId } = caller;
    const { sha256 } = inspected.about;
    const existing = await store.findContent(workspaceId, sha256);
    if (existing) return existing.id;
    const unlessAdded: Record = (write) =>
      store.transaction(async () => {
        await store.lockContent(workspaceId, sha256);
        const added = await store.findContent(workspaceId, sha256);
        return added ? toMediaItem(added, baseUrl) : write();
      });
    return (await add(caller, inspected, { alt: undefined, name }, unlessAdded)).id;
  };

  return {
    receive: incoming.receive,

    keep,

    discard,

    mustFitLibrary,

    fromUrl: async (caller: Caller, { url, alt }: { url: string; alt?: string | undefined }, record?: Record) => {
      const untilMs = performance.now() + downloadTimeoutMs;
      const received = await download({ url, field: 'url', untilMs }).catch((error: unknown) => {
        throw error instanceof TooSlow ? badUrl('url', error.message) : error;
      });
      return keep(caller, received, { alt, name: nameIn(url) }, record);
    },

    /**
     * All of the files or none: every address is fetched and every file inspected before the first one is stored. Files with
     * the same bytes are one item. Returns the ids in the order of the sources.
     */
    fromAddresses: async (
      caller: Caller,
      sources: readonly AddressSource[],
      describeTooSlow: (message: string) => string,
    ): Promise<string[]> => {
      const untilMs = performance.now() + addressesMs;
      const received: Received[] = [];
      const enter = createSemaphore(bounds.concurrentAddresses);
      const fetchOne = async ({ url, field }: AddressSource) => {
        const leave = await enter();
        try {
          const file = await download({ url, field, untilMs });
          received.push(file);
          return await inspect(file);
        } finally {
          leave();
        }
      };
      try {
        const outcomes = await Promise.allSettled(sources.map(fetchOne));
        const issues = outcomes.flatMap((outcome, index) => {
          if (outcome.status === 'fulfilled') return [];
          const { reason: error } = outcome;
          if (error instanceof TooSlow)
            return badUrl(sources[index]?.field ?? '', describeTooSlow(error.message)).issues;
          if (error instanceof Refusal && error.code === 'BadInput') return error.issues;
          throw error;
        });
        const [first, ...others] = issues;
        if (first) throw badInput(first, ...others);
        const ids: string[] = [];
        for (const [index, outcome] of outcomes.entries()) {
          const { url } = sources[index] as AddressSource;
          if (outcome.status === 'fulfilled') ids.push(await addOnce(caller, outcome.value, nameIn(url)));
        }
        return ids;
      } finally {
        await Promise.all(received.map(discard));
      }
    },
  };
};

const image = async (path: string, mimeType: string) => {
  const { bytes, ...facts } = await readImage(path, mimeType);
  await writeFile(path, bytes, { flush: true });
  return facts;
};

/** Many videos begin with a black picture. */
const thumbnailMs = 1_000;

const video = async (path: string, mimeType: string, ffmpeg: Ffmpeg) => {
  const file = await open(path, 'r+');
  try {
    const { durationMs = null, ...facts } = await readVideo(file, mimeType);
    await file.sync();
    const frame = await frameOf(path, mimeType, durationMs, ffmpeg);
    return { ...facts, durationMs, thumbnail: frame ?? (await placeholder(facts)) };
  } finally {
    await file.close();
  }
};

/** Undefined where ffmpeg is missing or cannot read the video: that is no reason to refuse the upload. */
const frameOf = async (path: string, mimeType: string, durationMs: number | null, ffmpeg: Ffmpeg) => {
  if ((await ffmpeg.version()) === undefined) return undefined;
  const frame = await ffmpeg.frame(path, mimeType, Math.min(thumbnailMs, (durationMs ?? 0) / 2));
  return frame && thumbnailOf(frame).catch(() => undefined);
};

/** A broken download is the caller's error; what breaks on our side stays an internal error. */
const unlessBroken = async function* (source: AsyncIterable<Buffer>, refusal: (error: unknown) => Error) {
  try {
    yield* source;
  } catch (error) {
    throw refusal(error);
  }
};

const badUrl = (path: string, message: string) =>
  badInput({ path, code: 'BadUrl', message: `cannot be used. ${message}` });

const advice: Readonly<{ [status: number]: string }> = {
  401: ' It must be readable without signing in.',
  403: ' It must be readable without signing in.',
};

const nameIn = (url: string) => new URL(url).pathname.split('/').at(-1);

const libraryFull = (bytes: number) =>
  new Refusal(
    'Conflict',
    `The media library of this workspace may have ${bytes / 1024 ** 3} GB, and this file does not fit. Delete files that no post uses, then upload it again.`,
  );

const thumbnailPathOf = (path: string) => `${path}.thumbnail`;

/**
 * The operator finds the cause in the log and with `posthorn doctor`; the person who uploads learns that the file is
 * not at fault.
 */
const unlessRefused = (upload: Promise<void>) =>
  upload.catch((cause: unknown) => {
    const words =
      'The store for media refused the file, so it was not kept. Ask the operator to run `posthorn doctor`.';
    throw Object.assign(new Refusal('Internal', words), { cause });
  });

/** Only shown to people, and never used as a path or to detect the type. */
const tidyName = (name: string | undefined) =>
  name
    ?.toWellFormed()
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, 255) || null;
