import type { Sharp, SharpOptions } from 'sharp';
import { bounds } from '#server/base/bounds';
import { loadSharp } from '#server/base/pictures';
import type { FitMode } from '#server/networks/fit';
import { thumbnailOf } from './image.ts';

/** Version of the fitting code: raise it when the same picture, mode and target would give other bytes. */
export const recipe = 1;

/** What a network accepts as a picture. */
export interface FitTarget {
  readonly mimeTypes: readonly FitType[];
  readonly maxBytes: number;
  readonly maxPixels?: number | undefined;
  readonly minRatio?: number | undefined;
  readonly maxRatio?: number | undefined;
  readonly minWidth?: number | undefined;
  readonly minHeight?: number | undefined;
}

/** The types that a picture can become. */
export const fitTypes = ['image/jpeg', 'image/png', 'image/webp'] as const;
type FitType = (typeof fitTypes)[number];

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Why a picture cannot be fitted. */
export type PictureRefusal = 'Animated' | 'TooSmall';

export type Fit =
  | { readonly refused: PictureRefusal }
  | ({ readonly bytes: Buffer; readonly mimeType: FitType; readonly thumbnail: Buffer } & Size);

const timeoutSeconds = 30;
const white = '#ffffff';
const qualities = [90, 80];
const maxTries = 8;

const options: SharpOptions = { limitInputPixels: bounds.imagePixels, failOn: 'error' };

/** The largest size and best quality that fit. Deterministic: the same file, mode and target give the same bytes. */
export const fitImage = async (file: Buffer, mode: FitMode, target: FitTarget): Promise<Fit> => {
  const sharp = await loadSharp();
  const { pages = 1, hasAlpha, format, autoOrient } = await sharp(file, options).metadata();
  if (pages > 1 || isAnimatedPng(file)) return { refused: 'Animated' };
  const isOpaque = !hasAlpha || mode === 'pad' || (await sharp(file, options).stats()).isOpaque;
  const frame = frameOf(autoOrient, mode, target);
  let scale = Math.min(1, Math.sqrt(Math.min(target.maxPixels ?? Infinity, bounds.concurrentPixels) / areaOf(frame)));
  let [type, ...otherTypes] = typesFor(format, isOpaque, target.mimeTypes);
  for (let tries = 0; tries < maxTries && type !== undefined; tries++) {
    const size = sizeAt(frame, scale, target);
    if (size.width < (target.minWidth ?? 1) || size.height < (target.minHeight ?? 1)) return { refused: 'TooSmall' };
    let smallest = Infinity;
    for (const quality of type === 'image/png' ? [100] : qualities) {
      const bytes = await encoded(shaped(sharp, file, mode, size), type, quality);
      if (bytes.length <= target.maxBytes)
        return { bytes, mimeType: type, ...size, thumbnail: await thumbnailOf(bytes) };
      smallest = bytes.length;
    }
    // A photo as a PNG is many times larger than it needs to be: another type loses less than a smaller size.
    const [next, ...rest] = otherTypes;
    if (type === 'image/png' && next !== undefined) [type, otherTypes] = [next, rest];
    else scale *= Math.min(0.9, 0.95 * Math.sqrt(target.maxBytes / smallest));
  }
  return { refused: 'TooSmall' };
};

/** The crop or the padded canvas at full size, before scaling. */
const frameOf = ({ width, height }: Size, mode: FitMode, { minRatio = 0, maxRatio = Infinity }: FitTarget): Size => {
  const ratio = width / height;
  if (mode === 'shrink' || (ratio >= minRatio && ratio <= maxRatio)) return { width, height };
  const isTall = ratio < minRatio;
  if (mode === 'crop') {
    return isTall
      ? { width, height: Math.floor(width / minRatio) || 1 }
      : { width: Math.floor(height * maxRatio) || 1, height };
  }
  return isTall ? { width: Math.ceil(height * minRatio), height } : { width, height: Math.ceil(width / maxRatio) };
};

/** Rounding a scaled side can push the ratio over a limit, so the other side is derived from the limit then. */
const sizeAt = (frame: Size, scale: number, { minRatio = 0, maxRatio = Infinity }: FitTarget): Size => {
  const width = Math.max(1, Math.floor(frame.width * scale));
  const height = Math.max(1, Math.floor(frame.height * scale));
  if (scale === 1) return { width, height };
  if (width / height < minRatio) return { width, height: Math.max(1, Math.floor(width / minRatio)) };
  if (width / height > maxRatio) return { width: Math.max(1, Math.floor(height * maxRatio)), height };
  return { width, height };
};

const shaped = (sharp: Awaited<ReturnType<typeof loadSharp>>, file: Buffer, mode: FitMode, size: Size): Sharp => {
  const image = sharp(file, options).timeout({ seconds: timeoutSeconds }).autoOrient();
  if (mode === 'crop') return image.resize({ ...size, fit: 'cover', position: 'centre' });
  if (mode === 'pad')
    return image.flatten({ background: white }).resize({ ...size, fit: 'contain', background: white });
  return image.resize({ ...size, fit: 'fill' });
};

const encoded = (image: Sharp, type: FitType, quality: number): Promise<Buffer> => {
  if (type === 'image/png') return image.png({ compressionLevel: 9 }).toBuffer();
  if (type === 'image/webp') return image.webp({ quality }).toBuffer();
  return image.flatten({ background: white }).jpeg({ quality }).toBuffer();
};

/**
 * The picture's own type first, then the least lossy. JPEG has no transparency, so a transparent picture becomes JPEG
 * only if the network accepts nothing else.
 */
const typesFor = (format: string, isOpaque: boolean, accepted: readonly FitType[]): FitType[] => {
  const own = fitTypes.filter((type) => type === `image/${format}`);
  const others: readonly FitType[] = isOpaque ? fitTypes : ['image/png', 'image/webp', 'image/jpeg'];
  const possible = [...new Set([...own, ...others])].filter((type) => accepted.includes(type));
  const transparentTypes = possible.filter((type) => type !== 'image/jpeg');
  return isOpaque || transparentTypes.length === 0 ? possible : transparentTypes;
};

/** libvips reads only the first frame of an animated PNG, so the `acTL` chunk before the pixels is looked for here. */
const isAnimatedPng = (file: Buffer) =>
  file.subarray(1, 4).equals(Buffer.from('PNG')) &&
  file.subarray(0, Math.max(0, file.indexOf('IDAT'))).includes('acTL');

const areaOf = ({ width, height }: Size) => width * height;
