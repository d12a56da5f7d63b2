import type { MediaKind } from '#contracts/media';

export interface FileType {
  readonly kind: MediaKind;
  readonly mimeType: string;
}

/** The file is not valid. The caller knows the field it came in. */
export class BadFile extends Error {
  readonly code: 'MediaType' | 'Unreadable' | 'TooBig' | 'Empty';
  readonly limit: number | undefined;

  constructor(code: BadFile['code'], message: string, limit?: number) {
    super(message);
    this.code = code;
    this.limit = limit;
  }
}

export const tooManyPixels = (limit: number) =>
  new BadFile('TooBig', `has more than ${Math.floor(limit / 1_000_000)} million pixels: make it smaller`, limit);

/** Enough bytes of a file to recognise its type. */
export const headBytes = 64;

/**
 * Detects the type by content, because a name or a declared type can be wrong. The rest of the file is checked later.
 */
export const fileType = (head: Buffer): FileType => {
  const text = head.toString('latin1');
  if (text.length === 0) throw new BadFile('Empty', 'is empty');
  if (text.startsWith('\xff\xd8\xff')) return image('jpeg');
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return image('png');
  if (/^GIF8[79]a/.test(text)) return image('gif');
  if (/^RIFF.{4}WEBP/s.test(text)) return image('webp');
  if (text.startsWith('%PDF-')) return { kind: 'Document', mimeType: 'application/pdf' };
  if (text.startsWith('\x1a\x45\xdf\xa3')) return { kind: 'Video', mimeType: 'video/webm' };
  const [, box, brand = ''] = /^.{4}(ftyp|moov|mdat|wide|free|skip)(.{4})/s.exec(text) ?? [];
  if (box === 'ftyp') return fromBrand(brand, text.slice(12));
  // Old QuickTime files have no brand.
  if (box !== undefined) return { kind: 'Video', mimeType: 'video/quicktime' };
  throw unknown();
};

const unknown = () =>
  new BadFile('MediaType', 'must be a JPEG, PNG, GIF, WebP, AVIF or HEIC image, an MP4, MOV or WebM video, or a PDF');

const image = (format: string): FileType => ({ kind: 'Image', mimeType: `image/${format}` });

const fromBrand = (brand: string, compatible: string): FileType => {
  if (/^avi[fs]$/.test(brand) || (brand === 'mif1' && compatible.includes('avif'))) return image('avif');
  // A camera's raw photo, in the container format of a video.
  if (brand === 'crx ') throw unknown();
  if (/^hei[cxms]$/.test(brand) || (brand === 'mif1' && /hei[cx]/.test(compatible))) return image('heic');
  if (/^(hev|mif1|msf1)/.test(brand)) {
    throw new BadFile(
      'MediaType',
      'is a series of HEIC images, or of a kind that networks do not accept: save it as JPEG',
    );
  }
  return { kind: 'Video', mimeType: brand === 'qt  ' ? 'video/quicktime' : 'video/mp4' };
};
