import { open, rm, stat, writeFile } from 'node:fs/promises';
import { isUrl } from '#contracts/is-url';
import type { MediaItem } from '#contracts/media';
import type { Clock } from '#server/clock';
import type { Caller } from '#server/context';
import { badInput, Refusal } from '#server/errors';
import { newSecretId } from '#server/ids';
import type { Live } from '#server/live/open-tabs';
import type { Outbound } from '#server/outbound/guarded-client';
import { readDocument } from './document.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import type { MediaFiles } from './files.ts';
import { placeholder, readImage, thumbnailOf } from './image.ts';
import { describeUpload, type Incoming, type Received } from './incoming.ts';
import { thumbnailKey, toMediaItem } from './item.ts';
import type { MediaStore } from './store.ts';
import { readVideo, type Video } from './video.ts';

const downloadTimeoutMs = 300_000;
const maxRedirects = 5;

export type Uploads = ReturnType<typeof createUploads>;

/** Writes the record of a stored file, or finds that an earlier request wrote it. */
export type Record = (write: () => Promise<MediaItem>) => Promise<MediaItem>;

/** What is read of a file at its upload. */
interface FileFacts extends Omit<Video, 'durationMs'> {
  readonly durationMs: number | null;
  readonly thumbnail: Buffer;
}

/** How a file gets into the library: received completely, checked, stored, and only then recorded. */
export const createUploads = ({
  store,
  files,
  incoming,
  ffmpeg,
  outbound,
  live,
  baseUrl,
  clock,
}: {
  store: MediaStore;
  files: MediaFiles;
  incoming: Incoming;
  ffmpeg: Ffmpeg;
  outbound: Outbound;
  live: Live;
  baseUrl: string;
  clock: Clock;
}) => {
  /** Takes over the received file, whether it succeeds or not. */
  const keep = async (
    { userId, workspaceId }: Caller,
    { path, type, field }: Received,
    { alt, name }: { alt: string | undefined; name: string | undefined },
    record: Record = (write) => write(),
  ): Promise<MediaItem> => {
    const thumbnailPath = `${path}.thumbnail`;
    try {
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
      await describeUpload(field, () => writeFile(thumbnailPath, thumbnail, { flush: true }));
      const id = newSecretId('media', clock.now());
      await unlessRefused(files.put(thumbnailKey(id), thumbnailPath, 'image/webp'));
      await unlessRefused(files.put(id, path, type.mimeType));
      const about = { ...type, ...facts, bytes, alt: alt || null, fileName: tidyName(name), uploadedBy: userId };
      const removeFiles = () => Promise.all([files.remove(id), files.remove(thumbnailKey(id))]);
      const write = () =>
        store.transaction(async () => {
          const inserted = await store.insert({ id, workspaceId, ...about });
          await live.publish({ workspaceId, kind: 'media', id });
          return toMediaItem(inserted, baseUrl);
        });
      const item = await record(write).catch(async (error: unknown) => {
        // After a broken connection the row may exist all the same, so only a refusal removes the files; the sweep does the rest.
        if (error instanceof Refusal) await removeFiles();
        throw error;
      });
      if (item.id !== id) await removeFiles();
      return item;
    } finally {
      await Promise.all([path, thumbnailPath].map((one) => rm(one, { force: true })));
    }
  };

  const download = async (url: string, redirects = 0): Promise<Received> => {
    const wrong = (message: string) => badInput({ path: 'url', code: 'BadUrl', message: `cannot be used. ${message}` });
    const answer = await outbound.open(url, { timeoutMs: downloadTimeoutMs });
    if (!answer.ok) throw wrong(answer.message);
    const { status, headers, body } = answer;
    if (status === 200) {
      return incoming.receive(unlessBroken(body, wrong('The connection broke before the file was complete.')), 'url');
    }
    body.destroy();
    const next = [301, 302, 303, 307, 308].includes(status) && [headers.location].flat()[0];
    if (!next || !isUrl(next, url)) throw wrong(`The address answered ${status} instead of a file.`);
    if (redirects === maxRedirects) throw wrong('The address leads from one redirect to the next.');
    return download(new URL(next, url).href, redirects + 1);
  };

  return {
    receive: incoming.receive,

    keep,

    discard: ({ path }: Received) => rm(path, { force: true }),

    fromUrl: async (caller: Caller, { url, alt }: { url: string; alt?: string | undefined }, record?: Record) => {
      const received = await download(url);
      const name = new URL(url).pathname.split('/').at(-1);
      return keep(caller, received, { alt, name }, record);
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
const unlessBroken = async function* (source: AsyncIterable<Buffer>, refusal: Error) {
  try {
    yield* source;
  } catch {
    throw refusal;
  }
};

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

/** Only ever shown to people: never a path, never a type. */
const tidyName = (name: string | undefined) =>
  name
    ?.toWellFormed()
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, 255) || null;
