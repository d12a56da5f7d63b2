import { open } from 'node:fs/promises';
import { loadSharp } from '#server/base/pictures';
import { BadFile } from './file-type.ts';

/** Some programs write a few bytes after the end marker. */
const tailBytes = 2_048;

/** A PDF is stored unchanged. Only its end marker is read, which shows that the file is complete. */
export const readDocument = async (path: string) => {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const tail = Buffer.alloc(Math.min(tailBytes, size));
    await file.read(tail, 0, tail.length, size - tail.length);
    if (!tail.includes('%%EOF')) throw new BadFile('Unreadable', 'is a damaged or incomplete PDF: save it again');
    return { width: 0, height: 0, durationMs: null, thumbnail: await sheet() };
  } finally {
    await file.close();
  }
};

/** A generic sheet of paper, because pages are not rendered. It is centred, so that every crop shows all of it. */
const sheet = async () => {
  const sharp = await loadSharp();
  const lines = [160, 190, 220, 250].map(
    (y, index) => `<rect x="152" y="${y}" width="${index === 3 ? 50 : 96}" height="8" rx="4" fill="#c3c9d4"/>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"><rect width="400" height="400" fill="#3b4250"/><path d="M130 95h100l40 40v170H130z" fill="#fff"/><path d="M230 95v40h40z" fill="#c3c9d4"/>${lines.join('')}</svg>`;
  return sharp(Buffer.from(svg)).webp({ quality: 80 }).toBuffer();
};
