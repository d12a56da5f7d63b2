import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import type { Dispatcher } from 'undici';
import type { S3Store } from '#server/base/config/config';
import { answerWithin } from '#server/base/health/answer-within';
import type { MediaFiles } from './files.ts';

/** Any store that speaks S3, addressed by path. Its address comes from the operator, so no guarded client is needed. */
export const createS3Files = ({ endpoint, bucket, ...keys }: S3Store): MediaFiles => {
  const place = `the bucket ${bucket} at ${endpoint}`;
  const root = `${endpoint.replace(/\/$/, '')}/${bucket}`;

  const send = async (method: 'GET' | 'PUT' | 'DELETE', path: string, options: S3Request = {}) => {
    const { headers = {}, body, signal } = options;
    // The body is left unsigned: signing it would mean reading it twice.
    const signer = new AwsV4Signer({ ...keys, service: 's3', method, url: root + path, headers: { ...headers } });
    const signed = await signer.sign();
    // Lazy: most installations have no S3.
    const { request } = await import('undici');
    const answer = await request(signed.url, {
      method,
      headers: { ...Object.fromEntries(signed.headers), ...headers },
      ...(body && { body }),
      ...(signal && { signal }),
    });
    if (answer.statusCode < 300 || (answer.statusCode === 404 && path !== '' && !path.startsWith('?'))) return answer;
    throw new Error(`${place} answered ${answer.statusCode}${codeIn(await answer.body.text())} to ${method}`);
  };

  const exists = ({ statusCode }: Dispatcher.ResponseData) => statusCode !== 404;

  return {
    place,

    check: async () => {
      try {
        await answerWithin(async (signal) => {
          await (await send('GET', '?list-type=2&max-keys=1', { signal })).body.dump();
          const body = Buffer.from('Posthorn looks whether it may write here.');
          const headers = { 'content-length': String(body.length) };
          await (await send('PUT', `/${probe}`, { headers, body, signal })).body.dump();
          await (await send('DELETE', `/${probe}`, { signal })).body.dump();
        });
      } catch (cause) {
        const advice =
          'Check S3_ENDPOINT, S3_BUCKET, S3_REGION and the keys, and what the key may do: list, read, write, delete.';
        throw new Error(`${(cause as Error).message || (cause as { code?: string }).code}. ${advice}`, { cause });
      }
    },

    put: async (key, path, mimeType) => {
      const { size } = await stat(path);
      const headers = { 'content-type': mimeType, 'content-length': String(size) };
      const answer = await send('PUT', `/${key}`, { headers, body: createReadStream(path) });
      await answer.body.dump();
      if (!exists(answer)) throw new Error(`${place} answered 404 to PUT`);
      await rm(path);
    },

    read: async (key, range) => {
      const headers: Record<string, string> = range ? { range: `bytes=${range.first}-${range.last}` } : {};
      const answer = await send('GET', `/${key}`, { headers });
      if (exists(answer)) return { bytes: Number(answer.headers['content-length']), stream: answer.body };
      await answer.body.dump();
      return undefined;
    },

    remove: async (key) => {
      await (await send('DELETE', `/${key}`)).body.dump();
    },

    list: async function* () {
      let after: string | undefined;
      do {
        const query = after === undefined ? '' : `&continuation-token=${encodeURIComponent(after)}`;
        const page = await (await send('GET', `?list-type=2${query}`)).body.text();
        for (const [, entry = ''] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
          yield { key: inTag(entry, 'Key') ?? '', changedAt: new Date(inTag(entry, 'LastModified') ?? '') };
        }
        after = inTag(page, 'NextContinuationToken');
      } while (after !== undefined);
    },
  };
};

interface S3Request {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readable | Buffer;
  readonly signal?: AbortSignal;
}

const inTag = (xml: string, tag: string) => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1];

const probe = 'posthorn-write-check';

/** S3 puts a code such as AccessDenied into the body, which says more than the status. */
const codeIn = (xml: string) => {
  const code = inTag(xml, 'Code');
  return code === undefined ? '' : ` ${code.slice(0, 100)}`;
};
