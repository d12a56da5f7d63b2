import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { Request } from 'express';
import { bounds } from '#server/bounds';
import { badInput, type Refusal } from '#server/errors';

export const isForm = ({ headers }: Request) => /^multipart\/form-data\b/i.test(headers['content-type'] ?? '');

export interface FormFields {
  readonly fields: Readonly<Record<string, string>>;
  /** Names that came twice, or belong to a second file. */
  readonly wrong: readonly string[];
}

/** Keeps the whole form, or nothing of it. `receive` is told the name of the file and the fields before it. */
export const readForm = async <Received, Checked>(
  req: Request,
  {
    receive,
    discard,
  }: {
    receive: (file: AsyncIterable<Buffer>, name: string, before: FormFields) => Promise<Received>;
    discard: (received: Received) => Promise<void>;
  },
  check: (form: FormFields) => Checked,
): Promise<{ received: Received; name: string } & Checked> => {
  const form = openForm(req);
  const fields: [string, string][] = [];
  const wrong: string[] = [];
  let file: { stream: BusboyFileStream; name: string; receiving: Promise<Received> } | undefined;
  let excess: Refusal | undefined;
  form.on('partsLimit', () => {
    excess ??= tooManyParts();
  });
  watchHeaders(req, {
    look: (headers) => {
      if (areTooMany(headers)) excess ??= tooManyHeaders();
    },
    // Busboy would wait for the rest of it for ever.
    cutOff: () => form.destroy(new Error('cut off')),
  });
  form.on('field', (name, value) => {
    if (fields.some(([known]) => known === name)) wrong.push(name);
    fields.push([name, value]);
  });
  form.on('file', (field, stream, name) => {
    // Whoever reads it hears of it too; without this, trouble after that would end the process.
    stream.on('error', () => undefined);
    if (field !== 'file' || file) {
      wrong.push(field);
      stream.resume();
      return;
    }
    const receiving = receive(staying(stream), name, { fields: Object.fromEntries(fields), wrong: [...wrong] });
    // The rest of a refused body is read and dropped: a client sees the answer only after it has sent everything.
    receiving.catch(() => stream.resume());
    file = { stream, name, receiving };
  });
  try {
    await untilStalled(req, () => pipeline(req, form));
  } catch {
    file?.stream.destroy(new Error('cut off'));
    await file?.receiving.then(discard, () => undefined);
    throw badInput({ path: 'file', code: 'Incomplete', message: 'ended before it was complete' });
  }
  if (file === undefined) {
    if (excess) throw excess;
    throw badInput({ path: 'file', code: 'Required', message: 'is required: send the file in a field of this name' });
  }
  const received = await file.receiving;
  try {
    if (excess) throw excess;
    return { received, name: file.name, ...check({ fields: Object.fromEntries(fields), wrong }) };
  } catch (error) {
    await discard(received);
    throw error;
  }
};

const openForm = ({ headers }: Request) => {
  const limits = {
    fileSize: Number.POSITIVE_INFINITY,
    fieldSize: bounds.formFieldBytes,
    parts: bounds.formParts,
    // It cuts off what is more, so it has to see one more than is allowed.
    headerPairs: bounds.formHeaders + 1,
    headerSize: 2 * bounds.formHeaderBytes,
  };
  try {
    return new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' }, limits });
  } catch {
    throw badInput({ path: 'Content-Type', code: 'BadFormat', message: 'must be multipart/form-data with a boundary' });
  }
};

const endOfHeaders = '\r\n\r\n';

/** Busboy cuts off headers of a part that are too many and tells nobody, so they are read here as they pass by. */
const watchHeaders = (req: Request, { look, cutOff }: { look: (headers: string) => void; cutOff: () => void }) => {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(req.headers['content-type'] ?? '') ?? [];
  const startOfPart = `\r\n--${quoted ?? bare}`;
  let inHeaders = false;
  // What the next chunk may continue. The first part has no line before it.
  let rest: Buffer = Buffer.from('\r\n');
  const nextAt = () => rest.indexOf(inHeaders ? endOfHeaders : startOfPart);
  req.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let at = nextAt(); at >= 0; at = nextAt()) {
      if (inHeaders) look(rest.toString('latin1', 0, at));
      // The line break that ends the headers may also begin the next part.
      rest = rest.subarray(inHeaders ? at + 2 : at + startOfPart.length);
      inHeaders = !inHeaders;
    }
    if (inHeaders && rest.length > bounds.formHeaderBytes + endOfHeaders.length) {
      look(rest.toString('latin1'));
      inHeaders = false;
    }
    if (!inHeaders) rest = rest.subarray(Math.max(0, rest.length - startOfPart.length));
  });
  req.on('end', () => {
    if (inHeaders && !isEndOfForm(rest)) cutOff();
  });
};

/** Two dashes end the form, and what follows them means nothing. */
const isEndOfForm = (rest: Buffer) => rest.subarray(0, 2).equals(Buffer.from('--'));

const areTooMany = (headers: string) => {
  if (headers.startsWith('--')) return false;
  const lines = headers.split('\r\n').filter((line) => /^\S/.test(line));
  return lines.length > bounds.formHeaders || headers.length > bounds.formHeaderBytes;
};

const tooManyHeaders = () =>
  badInput({
    path: 'body',
    code: 'TooBig',
    message: `must have at most ${bounds.formHeaders} headers in a part, and ${bounds.formHeaderBytes} bytes of them`,
    limit: bounds.formHeaders,
  });

const tooManyParts = () =>
  badInput({
    path: 'body',
    code: 'TooBig',
    message: `must have at most ${bounds.formParts} parts`,
    limit: bounds.formParts,
  });

/** Leaving the loop early must not destroy a part, or the form behind it would wait for ever. */
const staying = (stream: Readable): AsyncIterable<Buffer> => stream.iterator({ destroyOnReturn: false });

const untilStalled = async (req: Request, work: () => Promise<void>) => {
  req.setTimeout(bounds.bodyPatienceMs, () => req.destroy());
  await work().finally(() => req.setTimeout(0));
};

export const unknownField = (name: string) =>
  badInput({ path: name.slice(0, 100), code: 'UnknownField', message: 'is not expected here, or was sent twice' });
