import { bounds } from '#server/base/bounds';
import { badInput } from '#server/base/errors';

/** One part of a form. The unread rest of its body is skipped. */
export interface Part {
  readonly name: string;
  /** Present for a file, and empty when it has no name. */
  readonly fileName?: string;
  readonly mimeType: string;
  readonly body: AsyncIterable<Buffer>;
}

/** The sender went away, or the form has no end. */
export class FormCutOff extends Error {
  override readonly name = 'FormCutOff';
}

const endOfHeaders = '\r\n\r\n';

/** Reads multipart/form-data (RFC 7578) part by part, as fast as the bodies of the parts are read. */
export async function* readParts(contentType: string, chunks: AsyncIterator<Buffer>): AsyncGenerator<Part> {
  const delimiter = Buffer.from(`\r\n--${boundaryIn(contentType)}`);
  // The first delimiter has no line break before it.
  let rest: Buffer = Buffer.from('\r\n');
  let isInBody = true;

  const readMore = async () => {
    const { value, done } = await chunks.next().catch(() => ({ value: undefined, done: true as const }));
    if (done) throw new FormCutOff('the form ended before it was complete');
    rest = Buffer.concat([rest, value]);
  };

  /** Up to the next delimiter. A second reader continues where the first one stopped. */
  const readBody = async function* () {
    while (isInBody) {
      const at = rest.indexOf(delimiter);
      // The next chunk may complete a delimiter that begins in the last bytes.
      const length = at === -1 ? Math.max(0, rest.length - delimiter.length + 1) : at;
      const piece = rest.subarray(0, length);
      rest = rest.subarray(at === -1 ? length : at + delimiter.length);
      isInBody = at === -1;
      if (piece.length > 0) yield piece;
      if (isInBody && piece.length === 0) await readMore();
    }
  };

  const skipBody = async () => {
    for await (const _ of readBody());
  };

  const readHeaders = async () => {
    let at = rest.indexOf(endOfHeaders);
    while (at === -1 && rest.length <= bounds.formHeaderBytes + endOfHeaders.length) {
      await readMore();
      at = rest.indexOf(endOfHeaders);
    }
    if (at === -1 || at > bounds.formHeaderBytes) throw tooManyHeaders();
    const headers = parseHeaders(rest.toString('utf8', 0, at));
    rest = rest.subarray(at + endOfHeaders.length);
    isInBody = true;
    return headers;
  };

  await skipBody();
  for (;;) {
    while (rest.length < 2) await readMore();
    if (rest.toString('latin1', 0, 2) === '--') break;
    const part = describePart(await readHeaders());
    if (part) yield { ...part, body: readBody() };
    await skipBody();
  }
  // RFC 2046: ignore everything after the closing delimiter.
  while (!(await chunks.next()).done);
}

const boundaryIn = (contentType: string) => {
  const [, quoted, bare] = /^multipart\/form-data\s*;.*?\bboundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary !== undefined) return boundary;
  throw badInput({ path: 'Content-Type', code: 'BadFormat', message: 'must be multipart/form-data with a boundary' });
};

const parseHeaders = (text: string) => {
  const unfolded = text.replaceAll(/\r\n[ \t]+/g, ' ');
  const lines = unfolded.split('\r\n').filter((line) => line !== '');
  if (lines.length > bounds.formHeaders) throw tooManyHeaders();
  return new Map(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':');
      return [name.toLowerCase(), value.join(':').trim()];
    }),
  );
};

const tooManyHeaders = () =>
  badInput({
    path: 'body',
    code: 'TooBig',
    message: `must have at most ${bounds.formHeaders} headers in a part, and ${bounds.formHeaderBytes} bytes of them`,
    limit: bounds.formHeaders,
  });

/** Undefined for a part that belongs to no field. */
const describePart = (headers: ReadonlyMap<string, string>): Omit<Part, 'body'> | undefined => {
  const disposition = headers.get('content-disposition') ?? '';
  const parameters = parseParameters(disposition);
  const name = parameters.get('name');
  if (name === undefined || !/^form-data\s*;/i.test(disposition)) return undefined;
  const mimeType = /^[^;\s]+/.exec(headers.get('content-type') ?? '')?.[0].toLowerCase() ?? 'text/plain';
  const fileName = decodeExtended(parameters.get('filename*')) ?? parameters.get('filename');
  const isFile = fileName !== undefined || mimeType === 'application/octet-stream';
  // Old browsers send the whole path.
  return { name, mimeType, ...(isFile && { fileName: fileName?.split(/[/\\]/).at(-1) ?? '' }) };
};

const parseParameters = (header: string) =>
  new Map(
    Array.from(
      header.matchAll(/;\s*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g),
      ([, name = '', quoted, bare = '']) => [name.toLowerCase(), quoted?.replaceAll('\\"', '"') ?? bare] as const,
    ),
  );

/** RFC 5987, in which some libraries write names that are not ASCII. */
const decodeExtended = (value = '') => {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value)?.[1];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
};
