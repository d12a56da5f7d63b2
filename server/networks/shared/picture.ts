import { decodePicture, loadSharp } from '#server/base/pictures';
import { sha256 } from '#server/base/sha256';

/**
 * Width divided by height, for sandboxes that refuse what the network refuses; undefined when the file is not a
 * picture.
 */
export const ratioOf = async (bytes: Buffer): Promise<number | undefined> => {
  try {
    const sharp = await loadSharp();
    const { width, height } = await sharp(bytes).metadata();
    return width / height;
  } catch {
    return undefined;
  }
};

/** A square noise picture for sandboxes, which hardly compresses. */
export const noise = async (side: number): Promise<Buffer> => {
  const sharp = await loadSharp();
  return sharp({
    create: {
      width: side,
      height: side,
      channels: 3,
      background: '#888888',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .png()
    .toBuffer();
};

const maxPixels = 50_000_000;
const sidePixels = 1_200;
const qualities = [85, 70, 50, 30];

/**
 * A page's picture, made small enough for a link card and named by its hash; undefined when the file is not a picture
 * or stays too large.
 */
export const cardPicture = async (
  bytes: Buffer,
  maxBytes: number,
): Promise<{ picture: string; pictureBytes: Buffer } | undefined> => {
  const pictureBytes = await decodePicture(bytes, maxPixels, async (image) => {
    const small = image
      .timeout({ seconds: 4 })
      .autoOrient()
      .resize(sidePixels, sidePixels, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' });
    for (const quality of qualities) {
      const made = await small.clone().jpeg({ quality }).toBuffer();
      if (made.length <= maxBytes) return made;
    }
    return undefined;
  }).catch(() => undefined);
  return pictureBytes && { picture: sha256(pictureBytes, 'hex'), pictureBytes };
};
