import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { decodePicture } from '#server/base/pictures';

interface Page {
  readonly jpeg: Buffer;
  readonly width: number;
  readonly height: number;
}

const maxPixels = 50_000_000;
/** Sharp on a large screen; more only makes the file heavier. */
const sidePixels = 2_160;
const quality = 90;

/**
 * A PDF with one page per picture, in the shape of the picture. Undefined when a picture cannot be read. Pictures are
 * decoded one at a time, because a large one takes 100 MB.
 */
export const toPictureBook = async (
  title: string,
  pictures: readonly { read(): Promise<Readable> }[],
): Promise<Buffer | undefined> => {
  const pages: Page[] = [];
  for (const { read } of pictures) {
    const page = await toPage(await buffer(await read()));
    if (page === undefined) return undefined;
    pages.push(page);
  }
  return writePdf(title, pages);
};

const toPage = async (bytes: Buffer): Promise<Page | undefined> => {
  try {
    const { data: jpeg, info } = await decodePicture(bytes, maxPixels, (image) =>
      image
        .timeout({ seconds: 10 })
        .autoOrient()
        .resize(sidePixels, sidePixels, { fit: 'inside', withoutEnlargement: true })
        .flatten({ background: '#ffffff' })
        .toColourspace('srgb')
        .jpeg({ quality })
        .toBuffer({ resolveWithObject: true }),
    );
    return { jpeg, width: info.width, height: info.height };
  } catch {
    return undefined;
  }
};

/** PDF 1.4 embeds a JPEG unchanged. Objects 1 to 3 are the catalog, the list of pages and the title. */
const writePdf = (title: string, pages: readonly Page[]): Buffer => {
  const numberOf = (page: number) => 4 + page * 3;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, page) => `${numberOf(page)} 0 R`).join(' ')}] >>`,
    `<< /Title <feff${Buffer.from(title, 'utf16le').swap16().toString('hex')}> >>`,
  ].map((text) => Buffer.from(text));
  for (const [page, { jpeg, width, height }] of pages.entries()) {
    const [content, image] = [numberOf(page) + 1, numberOf(page) + 2];
    const size = `/Width ${width} /Height ${height}`;
    objects.push(
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents ${content} 0 R /Resources << /XObject << /Picture ${image} 0 R >> >> >>`,
      ),
      streamOf('', Buffer.from(`${width} 0 0 ${height} 0 0 cm /Picture Do`)),
      streamOf(
        `/Type /XObject /Subtype /Image ${size} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode `,
        jpeg,
      ),
    );
  }
  return assemble(objects);
};

const streamOf = (entries: string, bytes: Buffer) =>
  Buffer.concat([Buffer.from(`<< ${entries}/Length ${bytes.length} >>\nstream\n`), bytes, Buffer.from('\nendstream')]);

/** Readers find an object by its offset, which the table at the end has in ten digits. */
const assemble = (objects: readonly Buffer[]): Buffer => {
  // Four non-ASCII bytes mark the file as binary.
  const chunks = [Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  let offset = chunks[0]?.length ?? 0;
  const offsets = objects.map((object, index) => {
    const chunk = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    const start = offset;
    chunks.push(chunk);
    offset += chunk.length;
    return start;
  });
  const count = objects.length + 1;
  const entries = offsets.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`);
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${entries.join('')}`;
  const trailer = `trailer\n<< /Size ${count} /Root 1 0 R /Info 3 0 R >>\nstartxref\n${offset}\n%%EOF\n`;
  return Buffer.concat([...chunks, Buffer.from(table + trailer)]);
};
