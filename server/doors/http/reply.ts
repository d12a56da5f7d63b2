import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Refusal } from '#server/base/errors';

const compress = promisify(gzip);
/** Smaller bodies are not worth compressing. */
const smallBytes = 1024;

/** Faster than Express's json(), which computes etags and freshness that no response here needs. */
export const reply = (res: ServerResponse, status: number, body: unknown) =>
  replyText(res, status, JSON.stringify(body));

const replyText = (res: ServerResponse, status: number, text: string) => {
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  res.end(text);
};

/** Compresses off the event loop, at the fastest level, if the client accepts gzip. */
export const replyCompressed = async (res: ServerResponse, status: number, text: string) => {
  if (text.length < smallBytes || !acceptsGzip(res)) return replyText(res, status, text);
  res.appendHeader('vary', 'accept-encoding');
  const bytes = await compress(text, { level: constants.Z_BEST_SPEED });
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-encoding': 'gzip',
    'content-length': bytes.length,
  });
  res.end(bytes);
};

export const acceptsGzip = ({ req }: ServerResponse) => {
  const accepted = String(req.headers['accept-encoding'] ?? '');
  return /(?:^|[\s,])gzip(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accepted);
};

/** A page that is loaded now loads itself again; a program gets our error shape. */
export const replyUnavailable = (req: IncomingMessage, res: ServerResponse, refusal: Refusal) => {
  const { retryAfterSeconds = 1 } = refusal;
  res.setHeader('retry-after', retryAfterSeconds);
  if (!/\btext\/html\b/.test(req.headers.accept ?? '')) return replyRefusal(res, refusal);
  res.writeHead(refusal.status, { 'content-type': 'text/plain; charset=utf-8', refresh: String(retryAfterSeconds) });
  res.end(refusal.message);
};

export const replyRefusal = (res: ServerResponse, refusal: Refusal) => reply(res, refusal.status, refusal.body);
