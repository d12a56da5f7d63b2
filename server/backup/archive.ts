import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { SettingError } from '#server/config/config';

/** A tar file (POSIX ustar). Its last part has a line `<sha256>  <name>` for each part before it, as sha256sum reads it. */

const sumsName = 'SHA256SUMS';
const block = 512;
/** More than this does not fit eleven octal digits, and is written as GNU tar does it. */
const largestOctal = 0o77777777777;

export interface Part {
  readonly bytes: number;
  readonly sha256: string;
}

/** Written beside its place and moved there when complete: what has the name of a backup is one. */
export const createArchive = async (path: string) => {
  const draft = `${path}.part`;
  const file = await open(draft, 'w', 0o600);
  let end = 0;
  const sums: string[] = [];

  const write = async (bytes: Buffer, at = end) => {
    for (let done = 0; done < bytes.length; ) {
      done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
    }
    if (at === end) end += bytes.length;
  };

  const add = async (name: string, source: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<Part> => {
    const headAt = end;
    // Its size is known when its bytes are.
    await write(Buffer.alloc(block));
    const hash = createHash('sha256');
    for await (const chunk of source) {
      hash.update(chunk);
      await write(chunk);
    }
    const bytes = end - headAt - block;
    await write(Buffer.alloc(-bytes & (block - 1)));
    await write(headOf(name, bytes), headAt);
    const sha256 = hash.digest('hex');
    sums.push(`${sha256}  ${name}\n`);
    return { bytes, sha256 };
  };

  return {
    add,

    /** Answers with its size. */
    finish: async () => {
      await add(sumsName, [Buffer.from(sums.join(''))]);
      await write(Buffer.alloc(2 * block));
      await file.sync();
      await file.close();
      await rename(draft, path);
      // The name is in the folder, which has to be synced separately.
      const folder = await open(dirname(path));
      await folder.sync().finally(() => folder.close());
      return end;
    },

    discard: async () => {
      await file.close().catch(() => undefined);
      await rm(draft, { force: true });
    },
  };
};

export type Archive = Awaited<ReturnType<typeof createArchive>>;

const headOf = (name: string, bytes: number) => {
  const head = Buffer.alloc(block);
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for the archive`);
  head.write(name, 0);
  head.write('0000600\0', 100);
  head.write('0000000\0', 108);
  head.write('0000000\0', 116);
  if (bytes > largestOctal) {
    head.writeUInt8(0x80, 124);
    head.writeBigUInt64BE(BigInt(bytes), 128);
  } else head.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124);
  head.write(`${'0'.repeat(11)}\0`, 136);
  head.write('0', 156);
  head.write('ustar\x0000', 257);
  head.write(sumOf(head), 148);
  return head;
};

/** Of a header, with spaces in its own place. */
const sumOf = (head: Buffer) => {
  const sum = head.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  return `${sum.toString(8).padStart(6, '0')}\0 `;
};

export interface OpenedArchive {
  readonly names: readonly string[];
  read(name: string): Readable;
  text(name: string): Promise<string>;
}

/** Reads all of it, and refuses it when a part is missing, cut or changed. */
export const readArchive = async (path: string, progress: (text: string) => void): Promise<OpenedArchive> => {
  const places = await placesIn(path);
  const broken = (what: string) =>
    new SettingError(`${path} cannot be restored: ${what}. Nothing was changed. Take another backup.`);
  const read = (name: string) => {
    const place = places.get(name);
    if (place === undefined) throw broken(`its part ${name} is missing`);
    // A stream cannot end before it begins.
    return createReadStream(path, { start: place.at, end: Math.max(place.at + place.bytes - 1, 0) });
  };
  const text = async (name: string) => {
    const { bytes } = places.get(name) ?? {};
    return bytes === 0 ? '' : Buffer.concat(await read(name).toArray()).toString();
  };

  if (!places.has(sumsName)) throw broken('it has no end, so it was cut off or is no backup of Posthorn');
  const sums = new Map(
    (await text(sumsName))
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
  let done = 0;
  for (const [name, expected] of sums) {
    progress(`Checking part ${++done} of ${sums.size}`);
    if ((await sha256Of(places.get(name)?.bytes === 0 ? [] : read(name))) !== expected) {
      throw broken(`its part ${name} was changed: the checksum does not fit`);
    }
  }
  const names = [...places.keys()].filter((name) => name !== sumsName);
  const unknown = names.find((name) => !sums.has(name));
  if (unknown !== undefined) throw broken(`its part ${unknown} has no checksum`);
  return { names, read, text };
};

interface Place {
  readonly at: number;
  readonly bytes: number;
}

const placesIn = async (path: string) => {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new SettingError(`The backup ${path} cannot be read: ${error.message}`);
  });
  try {
    const { size } = await file.stat();
    const places = new Map<string, Place>();
    for (let at = 0; at + block <= size; ) {
      const head = await blockAt(file, at);
      if (head.every((byte) => byte === 0)) break;
      if (sumOf(head) !== head.toString('latin1', 148, 156)) {
        throw new SettingError(`${path} is no backup of Posthorn, or it was changed. Nothing was changed here.`);
      }
      const name = head.toString('utf8', 0, 100).replace(/\0.*$/s, '');
      const bytes = sizeIn(head);
      at += block;
      if (at + bytes > size) break;
      places.set(name, { at, bytes });
      at += Math.ceil(bytes / block) * block;
    }
    return places;
  } finally {
    await file.close();
  }
};

const blockAt = async (file: FileHandle, at: number) => {
  const head = Buffer.alloc(block);
  await file.read(head, 0, block, at);
  return head;
};

const sizeIn = (head: Buffer) =>
  head[124] === 0x80 ? Number(head.readBigUInt64BE(128)) : Number.parseInt(head.toString('latin1', 124, 135), 8);

const sha256Of = async (source: AsyncIterable<Buffer> | Iterable<Buffer>) => {
  const hash = createHash('sha256');
  for await (const chunk of source) hash.update(chunk);
  return hash.digest('hex');
};
