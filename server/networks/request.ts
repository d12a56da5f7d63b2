import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Outbound, WriteGuard } from '#server/base/outbound/guarded-client';
import { NetworkTrouble } from './trouble.ts';

/** A stream of known length. */
export interface Bytes {
  readonly length: number;
  readonly stream: Readable;
}

export interface NetworkRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  /** Added to the address; undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** At most one of these. */
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string | undefined>>;
  readonly multipart?: Multipart;
  readonly bytes?: Bytes;
  /** Called before anything is sent. */
  readonly guard?: WriteGuard;
}

interface Multipart {
  readonly fields: Readonly<Record<string, string | undefined>>;
  readonly file?: Bytes & { readonly field: string; readonly name: string; readonly mimeType: string };
}

export interface NetworkAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** The raw body, for binary answers. */
  readonly bytes: Buffer;
  /** Undefined when the text is not JSON. */
  readonly json: unknown;
}

/** Resolves with any status. Without an answer it throws trouble: `temporary` when nothing was sent, else `unknown`. */
export type Request = (request: NetworkRequest) => Promise<NetworkAnswer>;

const maxAnswerBytes = 5_000_000;
/** A slower connection is given up. */
const slowestBytesPerMs = 50;

export const createRequest =
  (outbound: Pick<Outbound, 'request'>, timeoutMs: number): Request =>
  async ({ method, url, query, headers, guard, ...content }) => {
    const { body, length, type } = encode(content);
    let reached = false;
    const mayBegin = () => {
      const may = guard?.mayBegin() ?? true;
      reached ||= may;
      return may;
    };
    const answer = await outbound.request(withQuery(url, query), {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        accept: 'application/json',
        'user-agent': 'Posthorn/1',
        ...(type && { 'content-type': type }),
        ...(length !== undefined && { 'content-length': String(length) }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      reuseConnection: true,
      timeoutMs: timeoutMs + Math.ceil((length ?? 0) / slowestBytesPerMs),
      maxBytes: maxAnswerBytes,
      guard: { ...guard, mayBegin },
    });
    // The upload may have failed or been answered early, so unread streams must be closed.
    for (const stream of [body, content.multipart?.file?.stream]) if (stream instanceof Readable) stream.destroy();
    if (!answer.ok) {
      const failure = reached ? 'gave no usable answer' : 'could not be reached';
      throw new NetworkTrouble(reached ? 'unknown' : 'temporary', `The network ${failure}: ${answer.message}`, {
        networkCode: answer.reason,
        reached,
      });
    }
    const text = answer.body.toString();
    return { status: answer.status, headers: flat(answer.headers), text, bytes: answer.body, json: parseJson(text) };
  };

/** The answer in its expected shape. With any other answer, what happened is unknown. */
export const shaped = <Schema extends z.ZodType>(schema: Schema, answer: NetworkAnswer): z.output<Schema> => {
  const result = schema.safeParse(answer.json);
  if (result.success) return result.data;
  throw new NetworkTrouble('unknown', `The network gave an answer that is not understood (HTTP ${answer.status}).`, {
    networkCode: String(answer.status),
  });
};

/** Parses Retry-After and similar headers: seconds to wait, Unix seconds, or a date. */
export const retryAt = (value: string | undefined, now: Date): Date | undefined => {
  if (value === undefined || value === '') return undefined;
  const number = Number(value);
  if (Number.isNaN(number)) {
    const instant = Date.parse(value);
    return Number.isNaN(instant) ? undefined : new Date(instant);
  }
  // Ten digits are Unix seconds: nobody is asked to wait that long.
  return new Date(number > 1e9 ? number * 1000 : now.getTime() + number * 1000);
};

export const bytesOf = (bytes: Uint8Array): Bytes => ({ length: bytes.length, stream: Readable.from([bytes]) });

const withQuery = (url: string, query: NetworkRequest['query'] = {}) => {
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  if (pairs.length === 0) return url;
  return `${url}${url.includes('?') ? '&' : '?'}${new URLSearchParams(pairs)}`;
};

const encode = ({
  json,
  form,
  multipart,
  bytes,
}: Omit<NetworkRequest, 'method' | 'url' | 'query' | 'headers' | 'guard'>) => {
  if (json !== undefined) return { body: JSON.stringify(json), type: 'application/json' };
  if (form)
    return { body: new URLSearchParams(definedFields(form)).toString(), type: 'application/x-www-form-urlencoded' };
  if (multipart) return encodeMultipart(multipart);
  return bytes ? { body: bytes.stream, length: bytes.length } : {};
};

const definedFields = (fields: Readonly<Record<string, string | undefined>>) =>
  Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);

/** A stream of known length, because a video does not fit into memory. */
const encodeMultipart = ({ fields, file }: Multipart) => {
  const boundary = randomUUID();
  const open = (disposition: string) => `--${boundary}\r\ncontent-disposition: form-data; ${disposition}`;
  const texts = definedFields(fields).map(([name, value]) => `${open(`name="${name}"`)}\r\n\r\n${value}\r\n`);
  if (file) {
    texts.push(`${open(`name="${file.field}"; filename="${file.name}"`)}\r\ncontent-type: ${file.mimeType}\r\n\r\n`);
  }
  const head = Buffer.from(texts.join(''));
  const tail = Buffer.from(`${file ? '\r\n' : ''}--${boundary}--\r\n`);
  const all = async function* () {
    yield head;
    if (file) yield* file.stream;
    yield tail;
  };
  return {
    body: Readable.from(all()),
    length: head.length + (file?.length ?? 0) + tail.length,
    type: `multipart/form-data; boundary=${boundary}`,
  };
};

const flat = (headers: Readonly<Record<string, string | string[] | undefined>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );

/** Drops what PostgreSQL cannot store: NUL characters and lone surrogates. */
const parseJson = (text: string): unknown => {
  try {
    return /\\u(?:0000|d[89a-f])/i.test(text) ? JSON.parse(text, dropUnstorable) : JSON.parse(text);
  } catch {
    return undefined;
  }
};

const dropUnstorable = (_name: string, value: unknown) =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : value;
