import sharp from 'sharp';

const number = (value: number, bytes: number) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};

/** An EBML element with a four-byte length. */
const element = (id: string, ...parts: (Buffer | string)[]) => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from(id, 'hex'), number(0x10000000 + content.length, 4), content]);
};

/** A lossy WebP holds one VP8 key frame, and a WebM may consist of key frames only. */
const keyFrame = async (svg: string) => {
  const webp = await sharp(Buffer.from(svg)).flatten().webp({ quality: 60 }).toBuffer();
  for (let at = 12; at < webp.length; ) {
    const bytes = webp.readUInt32LE(at + 4);
    if (webp.toString('latin1', at, at + 4) === 'VP8 ') return webp.subarray(at + 8, at + 8 + bytes);
    at += 8 + bytes + (bytes % 2);
  }
  throw new Error('sharp made a WebP without a frame of VP8');
};

/** Encodes drawings of the same size as a WebM that every browser plays. */
export const film = async (
  drawings: readonly string[],
  { width, height, frameMs }: { width: number; height: number; frameMs: number },
): Promise<Buffer> => {
  const frames: Buffer[] = [];
  for (const svg of drawings) frames.push(await keyFrame(svg));
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE(frames.length * frameMs);
  const head = element(
    '1a45dfa3',
    element('4282', 'webm'),
    element('4287', number(2, 1)),
    element('4285', number(2, 1)),
  );
  const info = element('1549a966', element('2ad7b1', number(1_000_000, 3)), element('4489', duration));
  const picture = element('e0', element('b0', number(width, 2)), element('ba', number(height, 2)));
  const track = element(
    'ae',
    element('d7', number(1, 1)),
    element('73c5', number(1, 1)),
    element('83', number(1, 1)),
    element('86', 'V_VP8'),
    picture,
  );
  const blocks = frames.map((frame, index) =>
    element('a3', Buffer.of(0x81), number(index * frameMs, 2), Buffer.of(0x80), frame),
  );
  const cluster = element('1f43b675', element('e7', number(0, 1)), ...blocks);
  return Buffer.concat([head, element('18538067', info, element('1654ae6b', track), cluster)]);
};
