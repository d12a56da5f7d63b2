import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { badInput } from '#server/base/errors';
import { type DiskReserve, NoRoom } from './disk-reserve.ts';
import { BadFile, type FileType, fileType, headBytes } from './file-type.ts';
import { filesIn } from './files.ts';

/** A file that arrived complete and is of an accepted type, not yet in the library. */
export interface Received {
  /** The caller has to move or remove it. */
  readonly path: string;
  readonly type: FileType;
  /** Of the bytes as they arrived, in hex. */
  readonly sha256: string;
  /** The field of the request that it came in, for error messages. */
  readonly field: string;
}

export interface MediaLimits {
  readonly imageBytes: number;
  readonly videoBytes: number;
  readonly documentBytes: number;
}

/** A sender may announce no length, so room is asked for in steps. */
const roomStepBytes = 1024 * 1024;

export type Incoming = ReturnType<typeof createIncoming>;

/** Files on their way into the library. */
export const createIncoming = ({
  folder,
  limits,
  reserve,
}: {
  folder: string;
  limits: MediaLimits;
  reserve: DiskReserve;
}) => {
  const write = async (path: string, source: AsyncIterable<Buffer>, declaredBytes: number) => {
    const file = await open(path, 'wx');
    const hash = createHash('sha256');
    try {
      let type: FileType | undefined;
      let head = Buffer.alloc(0);
      let bytes = 0;
      // A download can announce any length. One that is too large is refused below, by its type.
      let roomBytes = Math.min(declaredBytes, maxFileBytes(limits));
      await reserve.mustFit(roomBytes);
      for await (const chunk of source) {
        bytes += chunk.length;
        if (bytes > roomBytes) {
          await reserve.mustFit(roomStepBytes);
          roomBytes = bytes + roomStepBytes;
        }
        if (type === undefined) {
          head = Buffer.concat([head, chunk.subarray(0, headBytes)]);
          if (head.length >= headBytes) type = fileType(head);
        }
        if (type) mustFit(type, Math.max(bytes, declaredBytes), limits);
        hash.update(chunk);
        await file.appendFile(chunk);
      }
      type ??= fileType(head);
      await file.sync();
      return { type, sha256: hash.digest('hex') };
    } finally {
      await file.close();
    }
  };

  return {
    /** `declaredBytes` is the length that the sender announced: a file that is too large is refused at its beginning. */
    receive: async (source: AsyncIterable<Buffer>, field: string, declaredBytes = 0): Promise<Received> => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, randomUUID());
      try {
        return { path, field, ...(await describeUpload(field, () => write(path, source, declaredBytes))) };
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
    },
  };
};

/** Removes files that a killed process left behind. */
export const sweepIncoming = async (folder: string, before: Date) => {
  for await (const { key, changedAt } of filesIn(folder)) {
    if (changedAt < before) await rm(join(folder, key), { force: true });
  }
};

/** The largest file of any type. */
export const maxFileBytes = ({ imageBytes, videoBytes, documentBytes }: MediaLimits) =>
  Math.max(imageBytes, videoBytes, documentBytes);

export const mustFit = ({ kind }: FileType, bytes: number, { imageBytes, videoBytes, documentBytes }: MediaLimits) => {
  const limit = { Image: imageBytes, Video: videoBytes, Document: documentBytes }[kind];
  if (bytes <= limit) return;
  throw new BadFile(
    'TooBig',
    `is larger than the ${limit / 1024 / 1024} MB that ${kind.toLowerCase()}s may have`,
    limit,
  );
};

/** Turns a bad file or a full disk into an error for the person who sent it. */
export const describeUpload = async <T>(field: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BadFile) throw refusalOf(error, field);
    if (['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw Object.assign(new NoRoom(), { cause: error });
    throw error;
  }
};

const refusalOf = ({ code, message, limit }: BadFile, path: string) =>
  badInput({ path, code, message, ...(limit !== undefined && { limit }) });
