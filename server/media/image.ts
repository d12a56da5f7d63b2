import { readFile } from 'node:fs/promises';
import type { Metadata as SharpMetadata, SharpOptions } from 'sharp';
import { bounds } from '#server/base/bounds';
import { Refusal } from '#server/base/errors';
import { loadSharp, withPixels } from '#server/base/pictures';
import { decodeHeic } from './decode-heic.ts';
import { BadFile, tooManyPixels } from './file-type.ts';
import { stripMetadata } from './strip-metadata.ts';

const thumbnailPixels = 400;
const timeoutSeconds = 30;

const options: SharpOptions = { limitInputPixels: bounds.imagePixels, failOn: 'error' };

/**
 * Its size as displayed, the bytes to serve, and a thumbnail. Making the thumbnail decodes the picture, which proves
 * that it is complete.
 */
export const readImage = async (path: string, mimeType: string) => {
  const sharp = await loadSharp();
  try {
    const metadata = await sharp(path, options).metadata();
    const { orientation = 1, exif, xmp, autoOrient } = metadata;
    const format = formatOf(metadata);
    if (!mimeType.endsWith(format)) throw new Error(`this is ${format}`);
    const pixels = autoOrient.width * autoOrient.height;
    return await withPixels(pixels, async () => {
      const file = await readFile(path);
      const decoded = format === 'heic' ? await decodeHeic(path, pixels) : file;
      const shown = format === 'heic' ? (await sharp(decoded, options).metadata()).autoOrient : autoOrient;
      const thumbnail = await sharp(decoded, options)
        .timeout({ seconds: timeoutSeconds })
        .autoOrient()
        .resize({ width: thumbnailPixels, height: thumbnailPixels, fit: 'inside', withoutEnlargement: true })
        .webp({ quality: 80 })
        .toBuffer();
      return {
        ...shown,
        durationMs: lengthOf(metadata),
        thumbnail,
        bytes: await stripMetadata(file, mimeType, { orientation, exif, xmp }),
      };
    });
  } catch (error) {
    if (error instanceof BadFile || error instanceof Refusal || isSystemError(error)) throw error;
    if ((error as Error).message.includes('pixel limit')) throw tooManyPixels(bounds.imagePixels);
    if ((error as Error).message.startsWith('timeout')) {
      throw new BadFile('TooBig', `takes longer than ${timeoutSeconds} seconds to read: save it smaller`);
    }
    throw new BadFile('Unreadable', 'is a damaged or incomplete image: save it again');
  }
};

/** Such as a full disk: the file is not to blame. */
const isSystemError = (error: unknown) => (error as NodeJS.ErrnoException).syscall !== undefined;

/** AVIF and HEIC share a container. */
const formatOf = ({ format, compression }: SharpMetadata) =>
  format !== 'heif' ? format : compression === 'hevc' ? 'heic' : 'avif';

/** Browsers and ffmpeg show a frame for 100 ms if its delay is less than 20 ms. */
const usualDelayMs = 100;
const leastDelayMs = 20;

/** The duration of an animated GIF; null for a still picture. */
const lengthOf = ({ format, pages = 1, delay = [] }: SharpMetadata) =>
  format !== 'gif' || pages < 2 ? null : delay.reduce((sum, ms) => sum + (ms < leastDelayMs ? usualDelayMs : ms), 0);

export const thumbnailOf = async (bytes: Buffer) =>
  (await loadSharp())(bytes, options)
    .resize({ width: thumbnailPixels, height: thumbnailPixels, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 80 })
    .toBuffer();

/** The thumbnail of a video for which there is no frame: its shape with a play sign. */
export const placeholder = async ({ width, height }: { width: number; height: number }): Promise<Buffer> => {
  const sharp = await loadSharp();
  const scale = thumbnailPixels / Math.max(width, height);
  const [w, h] = [width, height].map((side) => Math.max(16, Math.round(side * scale))) as [number, number];
  const r = Math.min(w, h) / 6;
  const triangle = `M${w / 2 - r * 0.7} ${h / 2 - r}L${w / 2 + r} ${h / 2}L${w / 2 - r * 0.7} ${h / 2 + r}z`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}"><rect width="${w}" height="${h}" fill="#3b4250"/><path d="${triangle}" fill="#fff"/></svg>`;
  return sharp(Buffer.from(svg)).webp({ quality: 80 }).toBuffer();
};
