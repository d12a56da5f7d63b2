import { readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { bounds } from '#server/base/bounds';
import { Refusal } from '#server/base/errors';
import { runBounded } from './bounded-process.ts';
import { BadFile, tooManyPixels } from './file-type.ts';

const timeoutMs = 60_000;
const mostBytes = 400 * 1024 * 1024;
const packages = createRequire(import.meta.url);

/**
 * Neither sharp nor Debian's ffmpeg reads HEIC, so WebAssembly decodes it. This runs in its own process, because
 * WebAssembly never gives memory back.
 */
const script = `
const { readFileSync } = require('node:fs');
const [decoder, encoder, source, target, mostPixels] = process.argv.slice(1);
(async () => {
  const [first] = await require(decoder).all({ buffer: readFileSync(source) });
  const { width, height } = first;
  if (width * height > Number(mostPixels)) return console.log(JSON.stringify({ width, height, isTooBig: true }));
  const { data } = await first.decode();
  const sharp = require(encoder);
  const image = () => sharp(Buffer.from(data.buffer), { raw: { width, height, channels: 4 }, limitInputPixels: false });
  const { isOpaque } = await image().stats();
  const encoded = isOpaque ? image().jpeg({ quality: 95, chromaSubsampling: '4:4:4' }) : image().png({ compressionLevel: 1 });
  await encoded.toFile(target);
  console.log(JSON.stringify({ width, height }));
})().catch((error) => {
  console.error(error);
  process.exit(1);
});`;

/**
 * The picture as a JPEG, or as a PNG where parts of it are see-through, turned as it is displayed. `counted` is the
 * number of pixels that its header names and that the caller has counted: a damaged file can hold more.
 */
export const decodeHeic = async (path: string, counted: number): Promise<Buffer> => {
  if (counted > bounds.heicPixels) throw tooManyPixels(bounds.heicPixels);
  const target = `${path}.decoded`;
  try {
    const args = [packages.resolve('heic-decode'), packages.resolve('sharp'), path, target, String(counted)];
    const end = await runBounded(process.execPath, ['--max-old-space-size=512', '-e', script, ...args], {
      timeMs: timeoutMs,
      fileBytes: mostBytes,
    });
    if (end.is === 'ended' && end.why === 'TookTooLong') {
      throw new BadFile('TooBig', `takes longer than ${timeoutMs / 1000} seconds to read: save it smaller`);
    }
    if (end.is === 'ended' && end.why === 'Killed') {
      throw new Refusal(
        'Internal',
        'The server had no memory left to read this image. Try again later, or save it smaller.',
      );
    }
    const isWhole = end.is === 'done' && !(JSON.parse(end.output.toString()) as { isTooBig?: true }).isTooBig;
    if (!isWhole) throw new BadFile('Unreadable', 'is a damaged or incomplete image: save it again');
    return await readFile(target);
  } finally {
    await rm(target, { force: true });
  }
};
