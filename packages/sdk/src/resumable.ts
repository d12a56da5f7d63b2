import type { WithResponse } from './api-promise.ts';
import type { MediaItem } from './generated/types.ts';
import type { CallOptions, Http } from './http.ts';
import { ApiError } from './posthorn-error.ts';
import type { Progress } from './progress.ts';
import { waitBeforeRetry } from './retries.ts';

const MiB = 1024 * 1024;

/** One request: many proxies refuse bodies of 100 MB and more. */
const requestBytes = 32 * MiB;
const tus = { 'tus-resumable': '1.0.0' };

export interface ResumableFile {
  readonly blob: Blob;
  readonly filename: string;
  readonly alt: string | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/**
 * Sends a large file by the tus protocol. After a broken connection it continues where the server stopped receiving, and
 * gives up only when several attempts in a row made no progress.
 */
export const uploadResumably = async (
  http: Http,
  file: ResumableFile,
  callOptions: CallOptions,
): Promise<WithResponse<MediaItem>> => {
  // An outage of half a minute is normal on the lines that need this.
  const maxRetries = callOptions.maxRetries ?? 8;
  const { idempotencyKey, ...rest } = callOptions;
  const options = { ...rest, maxRetries };
  const { blob, onProgress } = file;

  const created = await http
    .call(
      {
        method: 'POST',
        path: '/api/media/uploads',
        retry: 'WithKey',
        headers: { ...tus, 'upload-length': String(blob.size), 'upload-metadata': await metadataOf(file) },
        isEmpty: true,
      },
      { ...options, idempotencyKey },
    )
    .withResponse();
  const path = `/api/media/uploads/${created.response.headers.get('location')?.split('/').at(-1)}`;
  let offset = offsetIn(created.response);

  for (let failures = 0; offset < blob.size; ) {
    const from = offset;
    try {
      const sent = await http
        .call(
          {
            method: 'PATCH',
            path,
            retry: 'IfRefused',
            headers: { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(from) },
            body: blob.slice(from, from + requestBytes),
            isEmpty: true,
            onProgress: ({ sent: bytes }) => onProgress?.({ sent: from + bytes, total: blob.size }),
          },
          { ...options, maxRetries: 0 },
        )
        .withResponse();
      offset = offsetIn(sent.response);
    } catch (error) {
      rest.signal?.throwIfAborted();
      const isBehind = error instanceof ApiError && error.status === 409;
      const wait = waitBeforeRetry(error, 'WithKey', failures) ?? (isBehind ? 500 : undefined);
      if (wait === undefined || failures >= maxRetries) throw error;
      await http.pause(wait, rest.signal);
      const state = await http
        .call({ method: 'HEAD', path, retry: 'Always', headers: tus, isEmpty: true }, options)
        .withResponse();
      offset = offsetIn(state.response);
      failures++;
    }
    if (offset > from) failures = 0;
  }

  for (;;) {
    const answer = await http.call<MediaItem>({ method: 'GET', path, retry: 'Always' }, options).withResponse();
    if (answer.response.status !== 202) return answer;
    await http.pause(1000, rest.signal);
  }
};

const offsetIn = ({ headers }: Response): number => Number(headers.get('upload-offset'));

const metadataOf = async ({ blob, filename, alt }: ResumableFile): Promise<string> =>
  Object.entries({ filename, alt, fingerprint: await fingerprintOf(blob) })
    .flatMap(([key, value]) => (value === undefined ? [] : `${key} ${toBase64(value)}`))
    .join(',');

const toBase64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** So that a key that was used for another file of the same size is noticed. Browsers withhold digests without https. */
const fingerprintOf = async (blob: Blob): Promise<string | undefined> => {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  if (subtle === undefined) return undefined;
  const edges = await new Blob([blob.slice(0, MiB), blob.slice(-MiB)]).arrayBuffer();
  const digest = new Uint8Array(await subtle.digest('SHA-256', edges));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
};
