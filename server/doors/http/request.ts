import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { badInput, Refusal } from '#server/base/errors';

declare module 'node:http' {
  interface IncomingMessage {
    /** Set by the first middleware. */
    requestId: string;
  }
}

/** Strict defaults for every response. Pages override what they need. */
const securityHeaders: readonly [string, string][] = [
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cross-origin-resource-policy', 'same-origin'],
  ['cache-control', 'no-store'],
];

/** Only short, printable ids from callers are used: others could forge log lines. */
const usableId = /^[A-Za-z0-9._-]{1,64}$/;

const noHost = () =>
  badInput({ path: 'Host', code: 'Required', message: 'is required: HTTP/1.1 asks for this header in every request' });

/**
 * The last segment is an action name, which never reaches the database, so `findAction` refuses it with its own error.
 */
const namesAction = /^\/api\/(agent\/tools|app\/actions)\/[^/]+$/;

/** PostgreSQL stores no NUL, so a path with one matches nothing. */
const mustBeText = (url: string) => {
  if (!url.includes('%00')) return;
  const [path = '', ...query] = url.split('?');
  if (path.includes('%00') && !namesAction.test(path))
    throw new Refusal('NotFound', 'There is nothing at this path. The paths are in /openapi.json.');
  // The identity provider refuses it with an OAuth error.
  if (query.join('?').includes('%00') && !path.startsWith('/auth/')) {
    throw badInput({ path: 'query', code: 'BadText', message: 'holds a NUL character' });
  }
};

/** Runs first: sets the request id and the headers that every response has. */
export const tagRequest =
  ({ https }: { https: boolean }) =>
  (req: IncomingMessage, res: ServerResponse, next: () => void) => {
    const header = req.headers['x-request-id'];
    req.requestId = typeof header === 'string' && usableId.test(header) ? header : randomUUID();
    res.setHeader('x-request-id', req.requestId);
    for (const [name, value] of securityHeaders) res.setHeader(name, value);
    if (https) res.setHeader('strict-transport-security', 'max-age=31536000');
    if (req.headers.host === undefined) throw noHost();
    mustBeText(req.url ?? '');
    next();
  };
