import type { IncomingMessage } from 'node:http';
import { badInput, Refusal } from '#server/errors';

const maxBytes = 1024 * 1024;
const maxDepth = 32;
const patienceMs = 60_000;

/** The JSON of a request: what PostgreSQL could not store, or nobody could have meant, is refused here. */
export const readJson = async (req: IncomingMessage): Promise<unknown> => {
  const bytes = await readBytes(req);
  if (bytes.length === 0) return {};
  checkContentType(req);
  const text = decode(bytes);
  const value = parse(text);
  if (isSuspicious(text)) checkValue(value);
  return value;
};

const tooLarge = () =>
  new Refusal(
    'BadInput',
    'body: is larger than 1 MiB. Send less; media has its own path.',
    [{ path: 'body', code: 'TooBig', message: 'is larger than 1 MiB', limit: maxBytes }],
    413,
  );

const readBytes = (req: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    // The server itself is patient, for the sake of uploads.
    const tooSlow = setTimeout(() => req.destroy(new Error('the body came too slowly')), patienceMs);
    req.on('data', (chunk: Buffer) => {
      length += chunk.length;
      // What is too much is still read away: a client that is sending sees the answer only when it is done.
      if (length <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    req.on('end', () => {
      clearTimeout(tooSlow);
      if (length > maxBytes) reject(tooLarge());
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    req.on('error', () => {
      clearTimeout(tooSlow);
      reject(badInput({ path: 'body', code: 'Incomplete', message: 'ended before it was complete' }));
    });
  });

const checkContentType = ({ headers }: IncomingMessage) => {
  const refuse = (field: string, message: string) => {
    throw new Refusal('BadInput', `${field}: ${message}`, [{ path: field, code: 'BadFormat', message }], 415);
  };
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    refuse('Content-Encoding', 'must be absent: send the body as it is');
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  if (type.trim() !== 'application/json') refuse('Content-Type', 'must be application/json');
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) refuse('Content-Type', 'must have charset utf-8');
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

const decode = (bytes: Buffer) => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw badInput({ path: 'body', code: 'BadFormat', message: 'must be UTF-8' });
  }
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badInput({ path: 'body', code: 'BadFormat', message: `must be JSON: ${(error as Error).message}` });
  }
};

/** A lone surrogate and NUL can only come as an escape, and depth takes brackets: most bodies need no second look. */
const isSuspicious = (text: string) => text.includes('\\u') || text.includes('__proto__') || brackets(text) > maxDepth;

const brackets = (text: string) => {
  let count = 0;
  for (let i = 0; i < text.length && count <= maxDepth; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5b || code === 0x7b) count++;
  }
  return count;
};

/** Walks with a list of its own: a call per level would end the process at depth 100,000. */
const checkValue = (root: unknown) => {
  const open: { value: unknown; path: string; depth: number }[] = [{ value: root, path: '', depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'string') checkText(value, path);
    if (typeof value !== 'object' || value === null) continue;
    if (depth > maxDepth) {
      throw badInput({
        path: path.split('.').slice(0, 3).join('.') || 'body',
        code: 'TooDeep',
        message: `is nested deeper than ${maxDepth} levels`,
        limit: maxDepth,
      });
    }
    for (const [key, inner] of Object.entries(value)) {
      const innerPath = path ? `${path}.${key}` : key;
      checkText(key, innerPath);
      if (key === '__proto__') {
        throw badInput({ path: innerPath, code: 'UnknownField', message: 'is not a field of this input' });
      }
      open.push({ value: inner, path: innerPath, depth: depth + 1 });
    }
  }
};

/** Text that PostgreSQL can keep. */
export const checkText = (text: string, path: string) => {
  if (!text.isWellFormed()) {
    throw badInput({ path: path.toWellFormed(), code: 'BadText', message: 'holds half of a surrogate pair' });
  }
  if (text.includes('\0')) {
    throw badInput({ path: path.replaceAll('\0', '\uFFFD'), code: 'BadText', message: 'holds a NUL character' });
  }
};
