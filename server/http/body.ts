import type { IncomingMessage } from 'node:http';
import { bounds } from '#server/bounds';
import { badInput, Refusal } from '#server/errors';

/** The JSON of a request: what PostgreSQL could not store, or nobody could have meant, is refused here. */
export const readJson = async (req: IncomingMessage): Promise<unknown> => {
  const { value, refusal } = await readAnyJson(req);
  if (refusal) throw refusal;
  return value;
};

/** For callers that still need the value when it is refused, such as the id of the request to answer. */
export const readAnyJson = async (req: IncomingMessage): Promise<{ value: unknown; refusal?: Refusal }> => {
  const bytes = await readBytes(req);
  if (bytes.length === 0) return { value: {} };
  checkContentType(req);
  const text = decode(bytes);
  if (valuesIn(text) > bounds.bodyValues) return { value: { id: idIn(text) }, refusal: tooManyValues() };
  const value = parse(text);
  try {
    if (isSuspicious(text)) checkValue(value);
    return { value };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { value, refusal: error };
  }
};

const tooLarge = () =>
  badInput({
    path: 'body',
    code: 'TooBig',
    message: 'is larger than 1 MiB. Send less; media has its own path',
    limit: bounds.bodyBytes,
  });

const readBytes = (req: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    // The server itself is patient, for the sake of uploads.
    const tooSlow = setTimeout(() => req.destroy(new Error('the body came too slowly')), bounds.bodyPatienceMs);
    req.on('data', (chunk: Buffer) => {
      length += chunk.length;
      // What is too much is still read away: a client that is sending sees the answer only when it is done.
      if (length <= bounds.bodyBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    req.on('end', () => {
      clearTimeout(tooSlow);
      if (length > bounds.bodyBytes) reject(tooLarge());
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    req.on('error', () => {
      clearTimeout(tooSlow);
      reject(badInput({ path: 'body', code: 'Incomplete', message: 'ended before it was complete' }));
    });
  });

const checkContentType = ({ headers }: IncomingMessage) => {
  const refuse = (field: string, message: string) => {
    throw badInput({ path: field, code: 'BadFormat', message });
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
    // It quotes the body around the mistake, which may hold half a surrogate pair or a secret.
    const where = / at position \d+/.exec((error as Error).message)?.[0] ?? '';
    throw badInput({ path: 'body', code: 'BadFormat', message: `must be JSON, but is not${where}` });
  }
};

/**
 * How many fields and entries the text has: as many as commas outside of quotation marks, and one more for each object or
 * list that is not empty. Tens of thousands take longer to parse than any request may, so they are counted before.
 */
const valuesIn = (text: string): number => {
  // Each takes two characters.
  if (text.length <= 2 * bounds.bodyValues) return 0;
  let values = 0;
  eachSign(text, (code, _, before) => {
    if (isSeparator(code)) values++;
    else if (isClosing(code) && isBracket(before)) values--;
    // The last one may still turn out to be empty.
    return values <= bounds.bodyValues + 1;
  });
  return values;
};

/** The `id` of the outermost object, for an answer to a message that is not parsed. */
const idIn = (text: string): unknown => {
  let depth = 0;
  let id: string | undefined;
  eachSign(text, (code, at) => {
    if (isBracket(code)) depth++;
    else if (isClosing(code)) depth--;
    else if (code === quote && depth === 1) {
      member.lastIndex = at;
      id = member.exec(text)?.[1] ?? id;
    }
    return true;
  });
  return id === undefined ? undefined : parse(id);
};

const member = /"id"\s*:\s*("(?:[^"\\]|\\.){0,1000}"|-?\d{1,16})\s*[,}]/y;

/** Visits what is outside of texts, without blanks, and of a text its first quotation mark, until `visit` says false. */
const eachSign = (text: string, visit: (code: number, at: number, before: number) => boolean) => {
  let before = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x20) continue;
    if (!visit(code, at, before)) return;
    before = code;
    if (code === quote) at = endOfText(text, at);
  }
};

/** Where the text that begins here ends: at the next quotation mark that has no backslash before it. */
const endOfText = (text: string, from: number): number => {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
};

const tooManyValues = () =>
  badInput({
    path: 'body',
    code: 'TooBig',
    message: `has more than ${bounds.bodyValues} fields and entries. Send fewer`,
    limit: bounds.bodyValues,
  });

/** A lone surrogate and NUL can only come as an escape, and depth takes brackets: most bodies need no second look. */
const isSuspicious = (text: string) =>
  text.includes('\\u') || text.includes('__proto__') || isMoreThan(bounds.bodyDepth, text, isBracket);

const quote = 0x22;
const isBracket = (code: number) => code === 0x5b || code === 0x7b;
const isClosing = (code: number) => code === 0x5d || code === 0x7d;
const isSeparator = (code: number) => code === 0x2c || isBracket(code);

const isMoreThan = (most: number, text: string, counts: (code: number) => boolean) => {
  let count = 0;
  for (let i = 0; i < text.length && count <= most; i++) if (counts(text.charCodeAt(i))) count++;
  return count > most;
};

/** Walks with a list of its own: a call per level would end the process at depth 100,000. */
const checkValue = (root: unknown) => {
  const open: { value: unknown; path: string; depth: number }[] = [{ value: root, path: '', depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'string') checkText(value, path);
    if (typeof value !== 'object' || value === null) continue;
    if (depth > bounds.bodyDepth) {
      throw badInput({
        path: outer(path),
        code: 'TooDeep',
        message: `is nested deeper than ${bounds.bodyDepth} levels`,
        limit: bounds.bodyDepth,
      });
    }
    for (const key in value) {
      const innerPath = (path ? `${path}.${key}` : key).slice(0, longestPath);
      checkText(key, innerPath);
      if (key === '__proto__') {
        throw badInput({ path: innerPath, code: 'UnknownField', message: 'is not a field of this input' });
      }
      open.push({ value: value[key as keyof typeof value], path: innerPath, depth: depth + 1 });
    }
  }
};

const longestPath = 200;

/** Deep inside, the way says nothing. */
const outer = (path: string) => path.split('.').slice(0, 3).join('.') || 'body';

/** Text that PostgreSQL can keep. */
export const checkText = (text: string, path: string) => {
  if (!text.isWellFormed()) {
    throw badInput({ path: path.toWellFormed(), code: 'BadText', message: 'holds half of a surrogate pair' });
  }
  if (text.includes('\0')) {
    throw badInput({ path: path.replaceAll('\0', '\uFFFD'), code: 'BadText', message: 'holds a NUL character' });
  }
};
