import type { FileHandle } from 'node:fs/promises';
import { bounds } from '#server/base/bounds';
import { BadFile } from './file-type.ts';
import { damaged, noPicture, readAt } from './video-file.ts';

interface Box {
  readonly type: string;
  /** Of the whole box, and of its content. */
  readonly start: number;
  readonly from: number;
  readonly to: number;
}

/** Counts the boxes read, because a file of nothing but boxes would keep the parser busy. */
interface Seen {
  parts: number;
}

const maxTableBytes = 64 * 1024 * 1024;

/** MP4 and QuickTime (ISO/IEC 14496-12): boxes in boxes; `moov` says everything about the file. */
export const readIsoFile = async (file: FileHandle, size: number) => {
  const seen = { parts: 0 };
  const { moov, tags } = await findMoov(file, size, seen);
  const table = await readAt(file, moov.start, moov.to - moov.start);
  const childrenOf = (table: Buffer, { from, to }: Box) => boxesIn(table, from, to, seen);
  const [whole] = boxesIn(table, 0, table.length, seen);
  if (whole === undefined) throw damaged();
  const find = (parent: Box | undefined, ...path: string[]): Box | undefined =>
    path.reduce<Box | undefined>((at, type) => at && childrenOf(table, at).find((box) => box.type === type), parent);

  const tracks = childrenOf(table, whole).filter(({ type }) => type === 'trak');
  const trackOf = (kind: string) =>
    tracks.find((track) => {
      const handler = find(track, 'mdia', 'hdlr');
      return handler && table.toString('latin1', handler.from + 8, handler.from + 12) === kind;
    });
  const [video, audio] = [trackOf('vide'), trackOf('soun')];
  const [header, movie] = [find(video, 'tkhd'), find(whole, 'mvhd')];
  if (header === undefined || movie === undefined) throw noPicture();
  for (const track of tracks) {
    const references = find(track, 'mdia', 'minf', 'dinf', 'dref');
    if (references && hasOutsideReference(table, references, seen)) {
      throw new BadFile('MediaType', 'takes its pictures or sound from another file: save it as one complete file');
    }
  }

  await blank(
    file,
    moov.start,
    [whole, ...tracks].flatMap((parent) => childrenOf(table, parent).filter((box) => isPrivate(table, box))),
  );
  await blank(file, 0, tags);
  const entryOf = (track: Box | undefined) => sampleEntry(table, find(track, 'mdia', 'minf', 'stbl', 'stsd'));
  return {
    ...pictureSize(table, header),
    durationMs: duration(table, movie, find(whole, 'mvex', 'mehd')),
    videoCodec: videoCodecOf(entryOf(video)),
    audioCodec: audio === undefined ? 'none' : audioCodecOf(entryOf(audio)),
    frameRate: frameRate(table, find(video, 'mdia', 'mdhd'), find(video, 'mdia', 'minf', 'stbl', 'stsz')),
  };
};

/** Walks over all boxes of the file, so that a truncated file is noticed. */
const findMoov = async (file: FileHandle, size: number, seen: Seen): Promise<{ moov: Box; tags: Box[] }> => {
  let moov: Box | undefined;
  const tags: Box[] = [];
  for (let at = 0; at < size; ) {
    const head = await readAt(file, at, 32);
    const box = readBox(head, 0, size - at);
    if (box === undefined || ++seen.parts > bounds.videoParts) throw damaged();
    const inFile = { ...box, start: at, from: at + box.from, to: at + box.to };
    if (box.type === 'moov') moov ??= inFile;
    else if (isPrivate(head, box)) tags.push(inFile);
    at += box.to;
  }
  if (moov === undefined || moov.to - moov.start > maxTableBytes) throw damaged();
  return { moov, tags };
};

/** The box at `at`, when it ends before `end`. */
const readBox = (bytes: Buffer, at: number, end: number): Box | undefined => {
  if (at + 8 > bytes.length) return undefined;
  const short = bytes.readUInt32BE(at);
  const type = bytes.toString('latin1', at + 4, at + 8);
  const head = short === 1 ? 16 : 8;
  const length = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? end - at : short;
  if (length < head || at + length > end) return undefined;
  return { type, start: at, from: at + head, to: at + length };
};

const boxesIn = (table: Buffer, from: number, to: number, seen: Seen): Box[] => {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= to; ) {
    const box = readBox(table, at, to);
    if (box === undefined || ++seen.parts > bounds.videoParts) throw damaged();
    boxes.push(box);
    at = box.to;
  }
  return boxes;
};

const xmp = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');

/** User data and tags, where QuickTime puts the location of a recording, and the box for XMP. */
const isPrivate = (bytes: Buffer, { type, from }: Box) =>
  type === 'udta' || type === 'meta' || (type === 'uuid' && bytes.subarray(from, from + 16).equals(xmp));

const zeros = Buffer.alloc(1024 * 1024);

/** Nothing may move, because tables point to offsets in the file: the box becomes free space. */
const blank = async (file: FileHandle, offset: number, boxes: readonly Box[]) => {
  for (const { start, from, to } of boxes) {
    for (let at = from; at < to; at += zeros.length) {
      await file.write(zeros, 0, Math.min(zeros.length, to - at), offset + at);
    }
    await file.write('free', offset + start + 4, 'latin1');
  }
};

/** As displayed: phones record in landscape and store how to rotate it. */
const pictureSize = (table: Buffer, { from }: Box) => {
  const matrix = from + (table[from] === 1 ? 52 : 40);
  const [width, height] = [table.readUInt32BE(matrix + 36), table.readUInt32BE(matrix + 40)].map((side) =>
    Math.round(side / 65_536),
  ) as [number, number];
  const isRotated = table.readInt32BE(matrix) === 0 && table.readInt32BE(matrix + 4) !== 0;
  return isRotated ? { width: height, height: width } : { width, height };
};

const duration = (table: Buffer, { from }: Box, fragments: Box | undefined) => {
  const long = table[from] === 1;
  const perSecond = table.readUInt32BE(from + (long ? 20 : 12));
  const whole = long ? Number(table.readBigUInt64BE(from + 24)) : table.readUInt32BE(from + 16);
  const unknown = whole === 0 || whole === 0xffff_ffff || whole > 2 ** 53;
  const units = unknown && fragments ? fragmentsDuration(table, fragments) : whole;
  if (perSecond === 0 || (unknown && !fragments)) return undefined;
  return (units / perSecond) * 1000;
};

const fragmentsDuration = (table: Buffer, { from }: Box) =>
  table[from] === 1 ? Number(table.readBigUInt64BE(from + 4)) : table.readUInt32BE(from + 4);

/** The four letters of the first sample entry, and what it holds. */
const sampleEntry = (table: Buffer, description: Box | undefined) => {
  if (description === undefined) return undefined;
  const entry = readBox(table, description.from + 8, description.to);
  return entry && { type: entry.type, content: table.subarray(entry.from, entry.to) };
};

type SampleEntry = ReturnType<typeof sampleEntry>;

const videoEntries: Readonly<Record<string, string>> = {
  avc1: 'h264',
  avc3: 'h264',
  hvc1: 'hevc',
  hev1: 'hevc',
  dvh1: 'hevc',
  dvhe: 'hevc',
  av01: 'av1',
  vp08: 'vp8',
  vp09: 'vp9',
  mp4v: 'mpeg4',
  apch: 'prores',
  apcn: 'prores',
  apcs: 'prores',
  apco: 'prores',
  ap4h: 'prores',
  ap4x: 'prores',
  jpeg: 'mjpeg',
  mjpa: 'mjpeg',
};

const audioEntries: Readonly<Record<string, string>> = {
  mp4a: 'aac',
  Opus: 'opus',
  'ac-3': 'ac3',
  'ec-3': 'eac3',
  fLaC: 'flac',
  alac: 'alac',
  '.mp3': 'mp3',
  sowt: 'pcm',
  twos: 'pcm',
  lpcm: 'pcm',
  in24: 'pcm',
};

/** Undefined for an unknown codec, which the network has to judge. */
const videoCodecOf = (entry: SampleEntry) => entry && videoEntries[entry.type];

const audioCodecOf = (entry: SampleEntry) => {
  if (entry === undefined) return undefined;
  return entry.type === 'mp4a' && isMp3(entry.content) ? 'mp3' : audioEntries[entry.type];
};

/** `mp4a` is AAC in nearly all files; MPEG audio has an object type of its own in the descriptor. */
const isMp3 = (entry: Buffer) => {
  const descriptor = entry.indexOf('esds');
  const config = descriptor === -1 ? -1 : entry.indexOf(0x04, descriptor + 8);
  // The length of a descriptor takes one to four bytes, all but the last with the highest bit set.
  for (let at = config + 1; config !== -1 && at < Math.min(config + 5, entry.length - 1); at++) {
    if (((entry[at] ?? 0) & 0x80) === 0) return [0x69, 0x6b].includes(entry[at + 1] ?? 0);
  }
  return false;
};

/** Frames per second, on average. Unknown for a file in fragments, whose table is empty. */
const frameRate = (table: Buffer, header: Box | undefined, sizes: Box | undefined) => {
  if (header === undefined || sizes === undefined) return undefined;
  const long = table[header.from] === 1;
  const perSecond = table.readUInt32BE(header.from + (long ? 20 : 12));
  const units = long ? Number(table.readBigUInt64BE(header.from + 24)) : table.readUInt32BE(header.from + 16);
  const frames = table.readUInt32BE(sizes.from + 8);
  return frames < 2 || units === 0 ? undefined : (frames * perSecond) / units;
};

/**
 * Whether samples are in another file. An entry without the self-contained flag and without a location is a mistake of
 * the program that wrote it, and does not count.
 */
const hasOutsideReference = (table: Buffer, references: Box, seen: Seen) =>
  boxesIn(table, references.from + 8, references.to, seen).some(
    ({ from, to }) => ((table[from + 3] ?? 0) & 1) === 0 && table.subarray(from + 4, to).some((byte) => byte !== 0),
  );
