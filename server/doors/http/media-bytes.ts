import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { badInput } from '#server/base/errors';
import type { MediaLibrary } from '#server/media/library';

/** `GET /media/{id}`: the file itself, for networks and pages. It never changes, so caches may keep it for a year. */
export const mediaBytes =
  ({ library }: { library: MediaLibrary }) =>
  async (req: Request<{ id: string }>, res: Response) => {
    const size = sizeOf(req);
    await sendFile(req, res, await library.open(req.params.id, size), {
      etag: `"${req.params.id}.${size}"`,
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'cross-origin',
    });
  };

export const sizeOf = ({ query: { size = 'original' } }: Pick<Request, 'query'>) => {
  if (size !== 'original' && size !== 'thumbnail') {
    throw badInput({ path: 'size', code: 'UnknownValue', message: 'must be original or thumbnail' });
  }
  return size;
};

/** Sends the whole file, or the requested range. */
export const sendFile = async (
  req: Pick<Request, 'headers' | 'method'>,
  res: Response,
  { mimeType, bytes, read }: Awaited<ReturnType<MediaLibrary['open']>>,
  { etag, ...more }: { etag: string; [header: string]: string },
) => {
  const headers = { etag, ...more, ...(bytes !== undefined && { 'accept-ranges': 'bytes' }) };
  if (matchesEtag(req.headers['if-none-match'], etag)) return void res.writeHead(304, headers).end();
  // RFC 9110: a range applies after the conditional headers, and only to GET.
  const range = bytes === undefined || req.method === 'HEAD' ? undefined : rangeOf(req, etag, bytes);
  if (range === 'outside') {
    return void res.writeHead(416, { 'content-range': `bytes */${bytes}`, 'content-length': 0 }).end();
  }
  const length = range ? range.last - range.first + 1 : bytes;
  const about = {
    ...headers,
    'content-type': mimeType,
    // A PDF can hold scripts, so browsers download it instead of opening it on our origin.
    ...(mimeType === 'application/pdf' && { 'content-disposition': 'attachment' }),
    ...(range && { 'content-range': `bytes ${range.first}-${range.last}/${bytes}` }),
  };
  const status = range ? 206 : 200;
  if (req.method === 'HEAD') {
    return void res.writeHead(status, { ...about, ...(length !== undefined && { 'content-length': length }) }).end();
  }
  const content = await read(range);
  res.writeHead(status, { ...about, 'content-length': content.bytes });
  await pipeline(content.stream, res).catch((error: NodeJS.ErrnoException) => {
    // Video players disconnect when they have buffered enough.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
};

const matchesEtag = (ifNoneMatch: string | undefined, etag: string) =>
  ifNoneMatch?.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);

/** Supports a single range. A request for several gets the whole file, which RFC 9110, 14.2 allows. */
const rangeOf = ({ headers }: Pick<Request, 'headers'>, etag: string, bytes: number) => {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? [];
  const ifRange = headers['if-range'];
  if ((from === '' && to === '') || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const first = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const last = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (from !== '' && to !== '' && Number(to) < first) return undefined;
  return first >= bytes ? ('outside' as const) : { first, last };
};
