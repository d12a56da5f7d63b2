import type { FileHandle } from 'node:fs/promises';
import { damaged, noPicture, readAt } from './video-file.ts';

interface Box {
  readonly type: string;
  /** Of the whole box, and of its content. */
  readonly start: number;
  readonly from: number;
  readonly to: number;
}

const maxTableBytes = 64 * 1024 * 1024;
/** Far more than a file has a use for: each is an object in memory. */
const maxBoxes = 20_000;

/** MP4 and QuickTime (ISO/IEC 14496-12): boxes in boxes; `moov` says everything about the file. */
export const readIsoFile = async (file: FileHandle, size: number) => {
  const moov = await findMoov(file, size);
  const table = await readAt(file, moov.start, moov.to - moov.start);
  const [whole] = boxesIn(table, 0, table.length);
  if (whole === undefined) throw damaged();
  const find = (parent: Box | undefined, ...path: string[]): Box | undefined =>
    path.reduce<Box | undefined>((at, type) => at && childrenOf(table, at).find((box) => box.type === type), parent);

  const tracks = childrenOf(table, whole).filter(({ type }) => type === 'trak');
  const video = tracks.find((track) => {
    const handler = find(track, 'mdia', 'hdlr');
    return handler && table.toString('latin1', handler.from + 8, handler.from + 12) === 'vide';
  });
  const [header, movie] = [find(video, 'tkhd'), find(whole, 'mvhd')];
  if (header === undefined || movie === undefined) throw noPicture();

  await blank(
    file,
    moov.start,
    [whole, ...tracks].flatMap((parent) => childrenOf(table, parent).filter(isPrivate)),
  );
  return { ...pictureSize(table, header), durationMs: duration(table, movie, find(whole, 'mvex', 'mehd')) };
};

/** All boxes of the file are walked over, and so a file that was cut off is noticed. */
const findMoov = async (file: FileHandle, size: number): Promise<Box> => {
  let moov: Box | undefined;
  let count = 0;
  for (let at = 0; at < size; ) {
    const box = readBox(await readAt(file, at, 16), 0, size - at);
    if (box === undefined || ++count > maxBoxes) throw damaged();
    if (box.type === 'moov') moov ??= { ...box, start: at, from: at + box.from, to: at + box.to };
    at += box.to;
  }
  if (moov === undefined || moov.to - moov.start > maxTableBytes) throw damaged();
  return moov;
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

const boxesIn = (table: Buffer, from: number, to: number): Box[] => {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= to; ) {
    const box = readBox(table, at, to);
    if (box === undefined || boxes.length === maxBoxes) throw damaged();
    boxes.push(box);
    at = box.to;
  }
  return boxes;
};

const childrenOf = (table: Buffer, { from, to }: Box) => boxesIn(table, from, to);

/** User data and tags: QuickTime writes the place of a recording there. */
const isPrivate = ({ type }: Box) => type === 'udta' || type === 'meta';

/** Nothing may move, since the tables point at places in the file: the box becomes free space. */
const blank = async (file: FileHandle, offset: number, boxes: readonly Box[]) => {
  for (const { start, from, to } of boxes) {
    await file.write(Buffer.alloc(to - from), 0, to - from, offset + from);
    await file.write('free', offset + start + 4, 'latin1');
  }
};

/** As it is shown: phones record lying and write down how to turn it. */
const pictureSize = (table: Buffer, { from }: Box) => {
  const matrix = from + (table[from] === 1 ? 52 : 40);
  const [width, height] = [table.readUInt32BE(matrix + 36), table.readUInt32BE(matrix + 40)].map((side) =>
    Math.round(side / 65_536),
  ) as [number, number];
  const lying = table.readInt32BE(matrix) === 0 && table.readInt32BE(matrix + 4) !== 0;
  return lying ? { width: height, height: width } : { width, height };
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
