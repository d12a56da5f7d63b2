import { crc32 } from 'node:zlib';
import { bounds } from '#server/base/bounds';
import { createYieldToEventLoop } from '#server/base/jobs/yield-to-event-loop';

export interface Metadata {
  /** As in EXIF, 1 to 8. */
  readonly orientation: number;
  readonly exif: Buffer | undefined;
  readonly xmp: Buffer | undefined;
}

/**
 * The same picture, bit for bit, without what a camera or program added: where and when it was taken, by whom. Encoding
 * it again would cost quality, so only the container is rewritten. Colour profiles and the orientation stay.
 */
export const stripMetadata = async (file: Buffer, mimeType: string, metadata: Metadata): Promise<Buffer> => {
  switch (mimeType) {
    case 'image/jpeg':
      return stripJpeg(file, metadata);
    case 'image/png':
      return stripPng(file, metadata);
    case 'image/webp':
      return stripWebp(file, metadata);
    case 'image/avif':
    case 'image/heic':
      return blankParts(file, metadata);
    case 'image/gif':
      return stripGif(file);
    default:
      return file;
  }
};

const stepsPerYield = 2_048;

/** Called for every part of a file: yields to the event loop now and then, and refuses a file of too many parts. */
const createSteps = () => {
  const turn = createYieldToEventLoop();
  let steps = 0;
  return () => {
    if (steps > bounds.imageParts) throw new Error('this file has too many parts');
    return ++steps % stepsPerYield === 0 ? turn() : undefined;
  };
};

/** TIFF with the one tag that changes how the picture looks. */
const orientationAlone = ({ orientation }: Metadata) => {
  if (orientation === 1) return undefined;
  const tiff = Buffer.from('4d4d002a000000080001011200030000000100000000000000000000', 'hex').subarray(0, 26);
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
};

const sos = 0xda;
const eoi = 0xd9;

const stripJpeg = async (file: Buffer, metadata: Metadata) => {
  const parts = [file.subarray(0, 2)];
  const step = createSteps();
  let exif = orientationAlone(metadata);
  for (let at = 2; at + 1 < file.length; ) {
    await step();
    const marker = file.readUInt8(at + 1);
    if (file[at] !== 0xff || marker === 0xff || marker === 0) {
      at++;
      continue;
    }
    // Cameras append further pictures after the end marker, with metadata of their own.
    if (marker === eoi) return Buffer.concat([...parts, file.subarray(at, at + 2)]);
    const isStandalone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
    const end = isStandalone || at + 4 > file.length ? at + 2 : at + 2 + file.readUInt16BE(at + 2);
    if (exif && marker === 0xe1) {
      parts.push(jpegExif(exif));
      exif = undefined;
    }
    const next = marker === sos ? await endOfScan(file, end) : end;
    if (!isPrivate(marker, file.subarray(at + 4, end))) parts.push(file.subarray(at, next));
    at = next;
  }
  return Buffer.concat(parts);
};

/** Comments, and application data except JFIF, Adobe's colour marker and colour profiles. */
const isPrivate = (marker: number, content: Buffer) => {
  if (marker === 0xe2) return !content.toString('latin1', 0, 11).startsWith('ICC_PROFILE');
  return marker === 0xfe || (marker > 0xe0 && marker <= 0xef && marker !== 0xee);
};

const jpegExif = (tiff: Buffer) => {
  const content = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  const head = Buffer.of(0xff, 0xe1, 0, 0);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
};

/** In a scan, FF is followed by 0 or a restart marker. */
const endOfScan = async (file: Buffer, from: number) => {
  const turn = createYieldToEventLoop();
  for (let at = file.indexOf(0xff, from), seen = 0; at !== -1; at = file.indexOf(0xff, at + 1)) {
    if (++seen % stepsPerYield === 0) await turn();
    const next = file[at + 1] ?? eoi;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  return file.length;
};

const stripPng = async (file: Buffer, metadata: Metadata) => {
  const parts = [file.subarray(0, 8)];
  const step = createSteps();
  for (let at = 8; at + 12 <= file.length; ) {
    await step();
    const type = file.toString('latin1', at + 4, at + 8);
    const end = at + 12 + file.readUInt32BE(at);
    const exif = type === 'eXIf' && orientationAlone(metadata);
    if (exif) parts.push(pngChunk('eXIf', exif));
    else if (!/^(eXIf|tEXt|zTXt|iTXt|tIME)$/.test(type)) parts.push(file.subarray(at, end));
    if (type === 'IEND') break;
    at = end;
  }
  return Buffer.concat(parts);
};

const pngChunk = (type: string, content: Buffer) => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
};

const exifFlag = 0x08;
const xmpFlag = 0x04;

const stripWebp = async (file: Buffer, metadata: Metadata) => {
  const step = createSteps();
  const exif = orientationAlone(metadata);
  const parts = [Buffer.from(file.subarray(0, 12))];
  for (let at = 12; at + 8 <= file.length; ) {
    await step();
    const type = file.toString('latin1', at, at + 4);
    const bytes = file.readUInt32LE(at + 4);
    const end = at + 8 + bytes + (bytes % 2);
    const chunk = Buffer.from(file.subarray(at, end));
    if (type === 'VP8X') chunk[8] = (file.readUInt8(at + 8) & ~(exifFlag | xmpFlag)) | (exif ? exifFlag : 0);
    if (type === 'EXIF' && exif) parts.push(webpChunk('EXIF', exif));
    else if (type !== 'EXIF' && type !== 'XMP ') parts.push(chunk);
    at = end;
  }
  const whole = Buffer.concat(parts);
  whole.writeUInt32LE(whole.length - 8, 4);
  return whole;
};

const webpChunk = (type: string, content: Buffer) => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(content.length);
  return Buffer.concat([Buffer.from(type, 'latin1'), length, content, Buffer.alloc(content.length % 2)]);
};

/** Parts are found by their offset in the file, so nothing may move: private parts become zeros. */
const blankParts = (file: Buffer, { exif, xmp }: Metadata) => {
  const copy = Buffer.from(file);
  for (const part of [exif, xmp]) {
    const at = part ? copy.indexOf(part) : -1;
    if (part && at !== -1) copy.fill(0, at, at + part.length);
  }
  return copy;
};

const gif = { extension: 0x21, image: 0x2c, end: 0x3b, comment: 0xfe, application: 0xff } as const;
/** Loops and colour profiles. Everything else was added by programs: XMP, notes of their own. */
const keptApplications = /^(NETSCAPE2\.0|ANIMEXTS1\.0|ICCRGBG1012)$/;

const stripGif = async (file: Buffer) => {
  const step = createSteps();
  const turn = createYieldToEventLoop();
  const colours = (flags: number) => (flags & 0x80 ? 3 << ((flags & 0x07) + 1) : 0);
  /** Data comes in blocks of up to 255 bytes, the last of which is empty. */
  const endOfData = async (from: number) => {
    let at = from;
    for (let seen = 0; at < file.length && file[at] !== 0; at += 1 + (file[at] ?? 0)) {
      if (++seen % stepsPerYield === 0) await turn();
    }
    return Math.min(at + 1, file.length);
  };
  let at = 13 + colours(file.readUInt8(10));
  const parts = [file.subarray(0, at)];
  while (at < file.length && (file[at] === gif.extension || file[at] === gif.image)) {
    await step();
    const isImage = file[at] === gif.image;
    const end = await endOfData(isImage ? at + 11 + colours(file[at + 9] ?? 0) : at + 2);
    const label = file[at + 1];
    const isPrivate =
      !isImage &&
      (label === gif.comment ||
        (label === gif.application && !keptApplications.test(file.toString('latin1', at + 3, at + 14))));
    if (!isPrivate) parts.push(file.subarray(at, end));
    at = end;
  }
  return Buffer.concat([...parts, Buffer.of(gif.end)]);
};
