import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { systemClock } from '#server/base/clock';
import { SettingError } from '#server/base/config/config';
import { explainForbidden } from '#server/base/health/folder';

/** A tar file (POSIX ustar). Its last part lists the checksums of all others in the format of sha256sum. */

const sumsName = 'SHA256SUMS';
const blockBytes = 512;
/** A larger size does not fit into eleven octal digits and is written in the binary format of GNU tar. */
const maxOctalSize = 0o77777777777;

export interface Part {
  readonly bytes: number;
  readonly sha256: string;
}

/** If nothing was written to the file for this long, the process that made it was killed. */
const abandonedMs = 3_600_000;

export const removeAbandonedParts = async (folder: string) => {
  const before = systemClock.now().getTime() - abandonedMs;
  const names = (await readdir(folder)).filter((name) => /^(posthorn|before-migration)-.+\.part$/.test(name));
  for (const path of names.map((name) => join(folder, name))) {
    const { mtimeMs = before } = (await stat(path).catch(() => undefined)) ?? {};
    if (mtimeMs < before) await rm(path, { force: true });
  }
};

/** Writes to a temporary name and renames at the end, so that a file with the name of a backup is always complete. */
export const createArchive = async (path: string) => {
  const temporaryPath = `${path}.${randomUUID()}.part`;
  const file = await open(temporaryPath, 'wx', 0o600).catch(explainForbidden(dirname(path)));
  let end = 0;
  const sums: string[] = [];

  const write = async (bytes: Buffer, at = end) => {
    for (let offset = 0; offset < bytes.length; ) {
      offset += (await file.write(bytes, offset, bytes.length - offset, at + offset)).bytesWritten;
    }
    if (at === end) end += bytes.length;
  };

  const add = async (name: string, source: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<Part> => {
    const headerAt = end;
    // The header holds the size, which is known only after the content, so it is written last.
    await write(Buffer.alloc(blockBytes));
    const hash = createHash('sha256');
    for await (const chunk of source) {
      hash.update(chunk);
      await write(chunk);
    }
    const bytes = end - headerAt - blockBytes;
    await write(Buffer.alloc(-bytes & (blockBytes - 1)));
    await write(createHeader(name, bytes), headerAt);
    const sha256 = hash.digest('hex');
    sums.push(`${sha256}  ${name}\n`);
    return { bytes, sha256 };
  };

  return {
    add,

    /** Returns the size of the file. */
    finish: async () => {
      await add(sumsName, [Buffer.from(sums.join(''))]);
      await write(Buffer.alloc(2 * blockBytes));
      await file.sync();
      await file.close();
      await rename(temporaryPath, path);
      // The rename is durable only after the folder is synced too.
      const folder = await open(dirname(path));
      await folder.sync().finally(() => folder.close());
      return end;
    },

    discard: async () => {
      await file.close().catch(() => undefined);
      await rm(temporaryPath, { force: true });
    },
  };
};

export type Archive = Awaited<ReturnType<typeof createArchive>>;

const createHeader = (name: string, bytes: number) => {
  const header = Buffer.alloc(blockBytes);
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for the archive`);
  header.write(name, 0);
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  if (bytes > maxOctalSize) {
    header.writeUInt8(0x80, 124);
    header.writeBigUInt64BE(BigInt(bytes), 128);
  } else header.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124);
  header.write(`${'0'.repeat(11)}\0`, 136);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(checksumOf(header), 148);
  return header;
};

/** The checksum of a header counts its own field as spaces. */
const checksumOf = (header: Buffer) => {
  const sum = header.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  return `${sum.toString(8).padStart(6, '0')}\0 `;
};

export interface OpenArchive {
  readonly names: readonly string[];
  read(name: string): Readable;
  text(name: string): Promise<string>;
  bytesOf(name: string): number;
}

/** Reads only the names, without verifying the file. */
export const listParts = async (path: string) => [...(await findParts(path)).keys()];

/** Verifies the whole file, and throws if a part is missing, truncated or changed. */
export const readArchive = async (path: string, progress: (text: string) => void): Promise<OpenArchive> => {
  const positions = await findParts(path);
  const broken = (what: string) =>
    new SettingError(`${path} cannot be restored: ${what}. Nothing was changed. Take another backup.`);
  const read = (name: string) => {
    const position = positions.get(name);
    if (position === undefined) throw broken(`its part ${name} is missing`);
    // `end` is inclusive and must not be negative, even for an empty part.
    return createReadStream(path, { start: position.at, end: Math.max(position.at + position.bytes - 1, 0) });
  };
  const text = async (name: string) => {
    const { bytes } = positions.get(name) ?? {};
    return bytes === 0 ? '' : Buffer.concat(await read(name).toArray()).toString();
  };

  if (!positions.has(sumsName)) throw broken('it has no end, so it was cut off or is no backup of Posthorn');
  const sums = new Map(
    (await text(sumsName))
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
  let checkedParts = 0;
  for (const [name, expected] of sums) {
    progress(`Checking part ${++checkedParts} of ${sums.size}`);
    if ((await sha256Of(positions.get(name)?.bytes === 0 ? [] : read(name))) !== expected) {
      throw broken(`its part ${name} was changed: the checksum does not fit`);
    }
  }
  const names = [...positions.keys()].filter((name) => name !== sumsName);
  const unknown = names.find((name) => !sums.has(name));
  if (unknown !== undefined) throw broken(`its part ${unknown} has no checksum`);
  return { names, read, text, bytesOf: (name) => positions.get(name)?.bytes ?? 0 };
};

interface PartPosition {
  readonly at: number;
  readonly bytes: number;
}

const findParts = async (path: string) => {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new SettingError(`The backup ${path} cannot be read: ${error.message}`);
  });
  try {
    const { size } = await file.stat();
    const positions = new Map<string, PartPosition>();
    for (let at = 0; at + blockBytes <= size; ) {
      const header = await readBlock(file, at);
      if (header.every((byte) => byte === 0)) break;
      const name = header.toString('utf8', 0, 100).replace(/\0.*$/s, '');
      const bytes = readSize(header);
      const isIntact = checksumOf(header) === header.toString('latin1', 148, 156);
      if (!isIntact || bytes === undefined || positions.has(name)) {
        throw new SettingError(`${path} is no backup of Posthorn, or it was changed. Nothing was changed here.`);
      }
      at += blockBytes;
      if (at + bytes > size) break;
      positions.set(name, { at, bytes });
      at += Math.ceil(bytes / blockBytes) * blockBytes;
    }
    return positions;
  } finally {
    await file.close();
  }
};

const readBlock = async (file: FileHandle, at: number) => {
  const header = Buffer.alloc(blockBytes);
  await file.read(header, 0, blockBytes, at);
  return header;
};

/** Undefined if the field holds no size. A negative one would send the reader round in circles. */
const readSize = (header: Buffer) => {
  const octal = header.toString('latin1', 124, 136);
  if (header[124] !== 0x80) return /^[0-7]{11}\0$/.test(octal) ? Number.parseInt(octal, 8) : undefined;
  const bytes = Number(header.readBigUInt64BE(128));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
};

const sha256Of = async (source: AsyncIterable<Buffer> | Iterable<Buffer>) => {
  const hash = createHash('sha256');
  for await (const chunk of source) hash.update(chunk);
  return hash.digest('hex');
};
