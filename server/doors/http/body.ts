import type { IncomingMessage } from 'node:http';
import { bounds } from '#server/base/bounds';
import { badInput, Refusal } from '#server/base/errors';

/**
 * Parses a JSON body. Refuses text that PostgreSQL cannot store, and nesting or `__proto__` keys that only attacks
 * have.
 */
export const readJson = async (req: IncomingMessage): Promise<unknown> => {
  const { value, refusal } = await readAnyJson(req);
  if (refusal) throw refusal;
  return value;
};

/** For JSON-RPC, which needs the id of a message even when it refuses the message. */
export const readAnyJson = async (req: IncomingMessage): Promise<{ value: unknown; refusal?: Refusal }> => {
  const bytes = await readBytes(req);
  if (bytes.length === 0) return { value: {} };
  checkContentType(req);
  const text = decode(bytes);
  if (countValues(text) > bounds.bodyValues) return { value: { id: findId(text) }, refusal: tooManyValues() };
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
    // The server's own request timeout is one hour, because of uploads.
    const timeout = setTimeout(() => req.destroy(new Error('the body came too slowly')), bounds.bodyTimeoutMs);
    req.on('data', (chunk: Buffer) => {
      length += chunk.length;
      // Keep reading after the limit: most clients read the response only after they have sent the whole body.
      if (length <= bounds.bodyBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    req.on('end', () => {
      clearTimeout(timeout);
      if (length > bounds.bodyBytes) reject(tooLarge());
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    req.on('error', () => {
      clearTimeout(timeout);
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
    // Take only the position: V8's message quotes the body, which may hold a secret or half of a surrogate pair.
    const where = / at position \d+/.exec((error as Error).message)?.[0] ?? '';
    throw badInput({ path: 'body', code: 'BadFormat', message: `must be JSON, but is not${where}` });
  }
};

/**
 * Counts fields and entries before parsing, because parsing tens of thousands of them blocks the event loop for too
 * long. The count is the commas outside of strings, plus one for each object or array that is not empty.
 */
const countValues = (text: string): number => {
  // A value takes at least two characters, so a shorter text cannot have too many.
  if (text.length <= 2 * bounds.bodyValues) return 0;
  let values = 0;
  eachToken(text, (code, _, before) => {
    if (isSeparator(code)) values++;
    else if (isClosing(code) && isBracket(before)) values--;
    // One more, because the last bracket may still turn out to be empty.
    return values <= bounds.bodyValues + 1;
  });
  return values;
};

/** The `id` of the outermost object, for the response to a message that is too large to parse. */
const findId = (text: string): unknown => {
  let depth = 0;
  let id: string | undefined;
  eachToken(text, (code, at) => {
    if (isBracket(code)) depth++;
    else if (isClosing(code)) depth--;
    else if (code === quote && depth === 1) {
      idMember.lastIndex = at;
      id = idMember.exec(text)?.[1] ?? id;
    }
    return true;
  });
  return id === undefined ? undefined : parse(id);
};

const idMember = /"id"\s*:\s*("(?:[^"\\]|\\.){0,1000}"|-?\d{1,16})\s*[,}]/y;

/**
 * Visits every character outside of strings except white space, and the opening quote of each string, until `visit`
 * returns false.
 */
const eachToken = (text: string, visit: (code: number, at: number, before: number) => boolean) => {
  let before = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x20) continue;
    if (!visit(code, at, before)) return;
    before = code;
    if (code === quote) at = endOfString(text, at);
  }
};

/** The index of the quote that closes the string: the next one that is not escaped. */
const endOfString = (text: string, from: number): number => {
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

/**
 * Lone surrogates and NUL can only come as `\u` escapes, and depth needs brackets, so most bodies skip `checkValue`.
 */
const isSuspicious = (text: string) =>
  text.includes('\\u') || text.includes('__proto__') || isMoreThan(bounds.bodyDepth, text, isBracket);

const quote = 0x22;
const isBracket = (code: number) => code === 0x5b || code === 0x7b;
const isClosing = (code: number) => code === 0x5d || code === 0x7d;
const isSeparator = (code: number) => code === 0x2c || isBracket(code);

const isMoreThan = (limit: number, text: string, counts: (code: number) => boolean) => {
  let count = 0;
  for (let i = 0; i < text.length && count <= limit; i++) if (counts(text.charCodeAt(i))) count++;
  return count > limit;
};

/** Uses its own stack: recursion would overflow the call stack at depth 100,000. */
const checkValue = (root: unknown) => {
  const open: { value: unknown; path: string; depth: number }[] = [{ value: root, path: '', depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'string') checkText(value, path);
    if (typeof value !== 'object' || value === null) continue;
    if (depth > bounds.bodyDepth) {
      throw badInput({
        path: outerPath(path),
        code: 'TooDeep',
        message: `is nested deeper than ${bounds.bodyDepth} levels`,
        limit: bounds.bodyDepth,
      });
    }
    for (const key in value) {
      const innerPath = (path ? `${path}.${key}` : key).slice(0, maxPathCharacters);
      checkText(key, innerPath);
      if (key === '__proto__') {
        throw badInput({ path: innerPath, code: 'UnknownField', message: 'is not a field of this input' });
      }
      open.push({ value: value[key as keyof typeof value], path: innerPath, depth: depth + 1 });
    }
  }
};

const maxPathCharacters = 200;

/** The first three segments. A path of 32 levels helps nobody. */
const outerPath = (path: string) => path.split('.').slice(0, 3).join('.') || 'body';

/** Refuses text that PostgreSQL cannot store. */
export const checkText = (text: string, path: string) => {
  if (!text.isWellFormed()) {
    throw badInput({ path: path.toWellFormed(), code: 'BadText', message: 'holds half of a surrogate pair' });
  }
  if (text.includes('\0')) {
    throw badInput({ path: path.replaceAll('\0', '\uFFFD'), code: 'BadText', message: 'holds a NUL character' });
  }
};
