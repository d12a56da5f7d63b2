import sharp from 'sharp';

/** Width by height, for sandboxes that refuse what the network refuses; undefined when it is no picture. */
export const ratioOf = async (bytes: Buffer): Promise<number | undefined> => {
  try {
    const { width, height } = await sharp(bytes).metadata();
    return width / height;
  } catch {
    return undefined;
  }
};
