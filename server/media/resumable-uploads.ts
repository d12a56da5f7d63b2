import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaItem } from '#contracts/media';
import { bounds } from '#server/base/bounds';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { badInput, notFound, Refusal } from '#server/base/errors';
import { newSecretId } from '#server/base/ids';
import { type DiskReserve, NoRoom } from './disk-reserve.ts';
import { fileType, headBytes } from './file-type.ts';
import type { MediaFiles } from './files.ts';
import { describeUpload, type MediaLimits, maxFileBytes, mustFit } from './incoming.ts';
import { toMediaItem } from './item.ts';
import type { MediaStore } from './media-store.ts';
import type { ResumableStore, ResumableUpload } from './resumable-upload-store.ts';
import type { Uploads } from './uploads.ts';

export interface NewResumableUpload {
  readonly bytes: number;
  readonly alt: string | undefined;
  readonly name: string | undefined;
  /** As the sender wrote it. */
  readonly metadata: string;
  readonly key: string | undefined;
}

export type ResumableUploads = ReturnType<typeof createResumableUploads>;

/**
 * Uploads that continue after a broken connection. The bytes go to the media store in parts, and the row counts a part only
 * once it is safe there, so any instance can take the next request and a killed process loses at most one part.
 */
export const createResumableUploads = ({
  store,
  mediaStore,
  files,
  uploads,
  folder,
  limits,
  reserve,
  baseUrl,
  clock,
}: {
  store: ResumableStore;
  mediaStore: MediaStore;
  files: MediaFiles;
  uploads: Uploads;
  /** For the part that is arriving. */
  folder: string;
  limits: MediaLimits;
  reserve: DiskReserve;
  baseUrl: string;
  clock: Clock;
}) => {
  /** So that a client that asks again while its file is processed does not start the work a second time. */
  const finishing = new Map<string, Promise<MediaItem>>();
  const maxBytes = maxFileBytes(limits);

  const find = async ({ workspaceId, userId }: Caller, id: string): Promise<ResumableUpload> => {
    const upload = await store.find(workspaceId, userId, id);
    if (upload === undefined) throw notFound('upload', id);
    return upload;
  };

  const removeParts = async (parts: readonly string[]) => {
    for (const part of parts) await files.remove(part);
  };

  /** Stores the refusal, so that a retry gets the same answer without sending the file again. */
  const refuse = async (workspaceId: string, { id, parts }: ResumableUpload, error: unknown) => {
    if (!(error instanceof Refusal) || error.code !== 'BadInput') return;
    await store.refuse(workspaceId, id, error.body);
    await removeParts(parts);
  };

  const readAll = async function* (parts: readonly string[]) {
    for (const part of parts) {
      const file = await files.read(part);
      if (file === undefined) throw new Error(`the part ${part} of an upload is missing`);
      yield* file.stream as AsyncIterable<Buffer>;
    }
  };

  /**
   * Two processes may finish the same upload, for example when one was paused. The first to write the row decides which
   * item counts.
   */
  const finish = async (caller: Caller, upload: ResumableUpload): Promise<MediaItem> => {
    const { workspaceId } = caller;
    const { id, bytes, parts, alt, fileName } = upload;
    try {
      const received = await uploads.receive(readAll(parts), 'file', bytes);
      const about = { alt: alt ?? undefined, name: fileName ?? undefined };
      const item = await uploads.keep(caller, received, about, (write) =>
        store.transaction(async () => {
          const row = await store.lock(workspaceId, id);
          if (row === undefined) throw notFound('upload', id);
          if (row.mediaId !== null) return existing(caller, row.mediaId);
          const added = await write();
          await store.finish(workspaceId, id, added.id);
          return added;
        }),
      );
      await removeParts(parts);
      return item;
    } catch (error) {
      await refuse(workspaceId, upload, error);
      throw toKept(error, upload);
    }
  };

  const existing = async ({ workspaceId }: Caller, mediaId: string): Promise<MediaItem> => {
    const [row] = await mediaStore.find(workspaceId, [mediaId]);
    if (row === undefined) throw notFound('media item', mediaId);
    return toMediaItem(row, baseUrl);
  };

  /**
   * Writes up to `most` bytes of the source to a file. The last part may be shorter, for example when the connection
   * broke.
   */
  const writePart = async (chunks: AsyncIterator<Buffer>, most: number) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, randomUUID());
    const file = await open(path, 'wx');
    let head = Buffer.alloc(0);
    let bytes = 0;
    let isLast = false;
    try {
      while (bytes < most && !isLast) {
        const { value, done } = await chunks.next().catch(() => ({ value: undefined, done: true as const }));
        isLast = done === true;
        if (value === undefined) continue;
        if (head.length < headBytes) head = Buffer.concat([head, value.subarray(0, headBytes)]);
        bytes += value.length;
        await file.appendFile(value);
      }
      await file.sync();
      return { path, head, bytes, isLast };
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  };

  /** Under the lock of the workspace, so that the counts stay true. */
  const begin = async (
    workspaceId: string,
    userId: string,
    { bytes, alt, name, metadata, key }: NewResumableUpload,
  ) => {
    const open = await store.open(workspaceId);
    if (open.count >= bounds.openUploads)
      throw new Refusal(
        'Conflict',
        'Too many uploads of this workspace are not complete. Finish or delete some first.',
      );
    await reserve.mustFit(bytes);
    await uploads.mustFitLibrary(workspaceId, open.bytes + bytes);
    return store.insert(workspaceId, {
      ...{ id: newSecretId('upload', clock.now()), userId, bytes, metadata },
      ...{ key: key ?? null, alt: alt ?? null, fileName: name ?? null },
    });
  };

  return {
    /** The largest file that may be announced. */
    maxBytes,

    find,

    /** With the key of an earlier request, returns that upload, so that the client can continue it. */
    create: async ({ workspaceId, userId }: Caller, request: NewResumableUpload): Promise<ResumableUpload> => {
      const { bytes, metadata, key } = request;
      if (bytes === 0) throw badInput({ path: 'Upload-Length', code: 'Empty', message: 'must be more than 0' });
      if (bytes > maxBytes) {
        const message = `must be at most ${maxBytes}`;
        throw badInput({ path: 'Upload-Length', code: 'TooBig', message, limit: maxBytes });
      }
      if (key !== undefined)
        for (const { parts } of await store.removeExpired(workspaceId, userId, key)) await removeParts(parts);
      const upload = await store.transaction(async () => {
        await store.lockWorkspace(workspaceId);
        const earlier = key === undefined ? undefined : await store.findByKey(workspaceId, userId, key);
        return earlier ?? begin(workspaceId, userId, request);
      });
      if (upload.bytes !== bytes || upload.metadata !== metadata)
        throw new Refusal('Conflict', 'This Idempotency-Key was used for another file. Use a new one.');
      return upload;
    },

    /**
     * Stores the bytes from `offset` on. Returns the upload with everything stored so far, even if the connection
     * broke.
     */
    append: async (caller: Caller, id: string, offset: number, source: AsyncIterator<Buffer>) => {
      let upload = await find(caller, id);
      if (upload.refusal) throw refusalOf(upload.refusal);
      if (offset !== upload.received) throw wrongOffset(upload.received);
      for (let isLast = false; !isLast && upload.received < upload.bytes; ) {
        const most = Math.min(bounds.uploadPartBytes, upload.bytes - upload.received);
        const part = await describeUpload('file', async () => {
          await reserve.mustFitPart(most);
          return writePart(source, bounds.uploadPartBytes);
        }).catch((error: unknown) => {
          throw toKept(error, upload);
        });
        isLast = part.isLast;
        try {
          if (part.bytes === 0) break;
          const received = upload.received + part.bytes;
          if (received > upload.bytes)
            throw badInput({ path: 'body', code: 'TooBig', message: 'has more bytes than Upload-Length says' });
          if (upload.received === 0) {
            // Too few bytes to detect the type: they are dropped, and the client sends them again.
            if (part.head.length < headBytes && received < upload.bytes) break;
            const { bytes } = upload;
            await describeUpload('file', async () => mustFit(fileType(part.head), bytes, limits)).catch(
              async (error) => {
                await refuse(caller.workspaceId, upload, error);
                throw error;
              },
            );
          }
          if (upload.parts.length >= bounds.uploadParts)
            throw badInput({ path: 'body', code: 'TooBig', message: 'comes in too many pieces. Send larger ones' });
          const key = `${id}.${randomBytes(8).toString('hex')}`;
          await files.put(key, part.path, 'application/octet-stream');
          const isCounted = await store.append(caller.workspaceId, id, upload.received, part.bytes, key);
          if (!isCounted) {
            await files.remove(key);
            throw wrongOffset((await find(caller, id)).received);
          }
          upload = { ...upload, received, parts: [...upload.parts, key] };
        } finally {
          await rm(part.path, { force: true });
        }
      }
      return upload;
    },

    /** Undefined while the file is still being processed after `waitMs`: ask again. */
    result: async (caller: Caller, id: string, waitMs: number): Promise<MediaItem | undefined> => {
      const upload = await find(caller, id);
      if (upload.refusal) throw refusalOf(upload.refusal);
      if (upload.mediaId !== null) return existing(caller, upload.mediaId);
      if (upload.received < upload.bytes) throw wrongOffset(upload.received);
      const work = finishing.get(id) ?? finish(caller, upload).finally(() => finishing.delete(id));
      finishing.set(id, work);
      // The work continues even if nobody waits for it, so its error must not go unhandled.
      work.catch(() => undefined);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), waitMs);
      });
      return Promise.race([work, late]).finally(() => clearTimeout(timer));
    },

    remove: async (caller: Caller, id: string) => {
      const { parts } = await find(caller, id);
      await store.remove(caller.workspaceId, id);
      await removeParts(parts);
    },

    /** Deletes expired uploads with their parts, whether they were abandoned or finished. */
    purge: async () => {
      for (const { parts } of await store.purge()) await removeParts(parts);
    },
  };
};

const refusalOf = ({ message, issues }: NonNullable<ResumableUpload['refusal']>) =>
  new Refusal('BadInput', message, issues);

/** A full disk takes nothing from an upload that has begun. */
const toKept = (error: unknown, { received, bytes }: ResumableUpload) =>
  error instanceof NoRoom
    ? Object.assign(
        new NoRoom(
          received === bytes
            ? 'All its bytes are kept. Tell the operator, and ask for it again when there is room.'
            : `Its first ${received} of ${bytes} bytes are kept. Tell the operator, and continue from there when there is room.`,
        ),
        { cause: error.cause },
      )
    : error;

const wrongOffset = (received: number) =>
  new Refusal('Conflict', `The upload continues at byte ${received}. HEAD answers the offset to continue from.`);
