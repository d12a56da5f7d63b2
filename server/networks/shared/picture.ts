import { createHash } from 'node:crypto';

/** Comes with the first picture: most processes see none. Its cache would keep every decoded picture. */
export const loadSharp = async () => {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  return sharp;
};

/** Width by height, for sandboxes that refuse what the network refuses; undefined when it is no picture. */
export const ratioOf = async (bytes: Buffer): Promise<number | undefined> => {
  try {
    const sharp = await loadSharp();
    const { width, height } = await sharp(bytes).metadata();
    return width / height;
  } catch {
    return undefined;
  }
};

/** A square picture, for sandboxes, of which hardly anything can be left out. */
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

/** A picture of a page as a link card takes it, known by its hash; undefined when it is none, or cannot be made small. */
export const cardPicture = async (
  bytes: Buffer,
  maxBytes: number,
): Promise<{ picture: string; pictureBytes: Buffer } | undefined> => {
  const sharp = await loadSharp();
  for (const quality of qualities) {
    const made = await sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' })
      .timeout({ seconds: 4 })
      .autoOrient()
      .resize(sidePixels, sidePixels, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .jpeg({ quality })
      .toBuffer()
      .catch(() => undefined);
    if (made === undefined) return undefined;
    if (made.length <= maxBytes) {
      return { picture: createHash('sha256').update(made).digest('hex'), pictureBytes: made };
    }
  }
  return undefined;
};
