import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { type Dispatcher, request } from 'undici';
import type { MediaFiles } from './files.ts';

export interface S3Settings {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Any store that speaks S3, addressed by path. Its address comes from the operator, so no guarded client is needed. */
export const createS3Files = ({ endpoint, bucket, ...keys }: S3Settings): MediaFiles => {
  const root = `${endpoint.replace(/\/$/, '')}/${bucket}`;

  const send = async (method: 'GET' | 'PUT' | 'DELETE', path: string, options: Sent = {}) => {
    const { headers = {}, body } = options;
    // The body is not part of the signature: it would have to be read twice.
    const signer = new AwsV4Signer({ ...keys, service: 's3', method, url: root + path, headers: { ...headers } });
    const signed = await signer.sign();
    const answer = await request(signed.url, {
      method,
      headers: { ...Object.fromEntries(signed.headers), ...headers },
      ...(body && { body }),
    });
    if (answer.statusCode < 300 || answer.statusCode === 404) return answer;
    const text = await answer.body.text();
    throw new Error(`S3 answered ${answer.statusCode} to ${method} ${path}: ${text.slice(0, 500)}`);
  };

  const exists = ({ statusCode }: Dispatcher.ResponseData) => statusCode !== 404;

  return {
    place: `the bucket ${bucket} at ${endpoint}`,

    put: async (key, path, mimeType) => {
      const { size } = await stat(path);
      const headers = { 'content-type': mimeType, 'content-length': String(size) };
      const answer = await send('PUT', `/${key}`, { headers, body: createReadStream(path) });
      await answer.body.dump();
      if (!exists(answer)) throw new Error(`S3 has no bucket ${bucket}`);
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

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readable;
}

const inTag = (xml: string, tag: string) => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1];
