import type { ImportFormat } from '#contracts/transfer';
import { bounds } from '#server/base/bounds';
import { badInput } from '#server/base/errors';
import { readCsv } from './csv-entries.ts';
import type { Entry } from './entry.ts';
import { readJson } from './json-entries.ts';

interface EntryFile {
  readonly format: ImportFormat;
  readonly ignored: readonly string[];
  readonly entries: AsyncIterable<Entry>;
}

const chunkCharacters = 64 * 1024;
/** Enough for the header line of CSV, or for the fields before the first post of JSON. */
const headCharacters = 4 * 1024;

/** Streams the posts of a file, whose format is recognised by its beginning. */
export const readEntries = async (bytes: AsyncIterable<Buffer>): Promise<EntryFile> => {
  const chunks = decode(bytes);
  let head = '';
  while (head.length < headCharacters) {
    const next = await chunks.next();
    if (next.done) break;
    head += next.value;
  }
  const [first] = head.trimStart();
  if (first === undefined) throw badInput({ path: 'file', code: 'Required', message: 'is empty' });
  const read = first === '{' || first === '[' ? readJson : readCsv;
  return read(head, concat(head, chunks));
};

async function* concat(head: string, rest: AsyncIterable<string>) {
  for (let at = 0; at < head.length; at += chunkCharacters) yield head.slice(at, at + chunkCharacters);
  yield* rest;
}

/** Decodes in small chunks, so that no chunk blocks the event loop for long. Drops a byte order mark. */
async function* decode(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let length = 0;
  try {
    for await (const chunk of bytes) {
      length += chunk.length;
      if (length > bounds.importBytes) throw tooBig();
      for (let at = 0; at < chunk.length; at += chunkCharacters) {
        yield utf8.decode(chunk.subarray(at, at + chunkCharacters), { stream: true });
      }
    }
    yield utf8.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw badInput({ path: 'file', code: 'BadText', message: 'must be UTF-8; in a spreadsheet save it as CSV UTF-8' });
  }
}

const tooBig = () =>
  badInput({
    path: 'file',
    code: 'TooBig',
    message: `is larger than ${bounds.importBytes / 1024 / 1024} MiB; split it`,
    limit: bounds.importBytes,
  });
