import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { badInput, Refusal } from '#server/errors';

declare module 'node:http' {
  interface IncomingMessage {
    /** Set by the first middleware. */
    requestId: string;
  }
}

/** Set on every answer: nothing here is a page that may be framed, sniffed or cached. Pages loosen what they need. */
const securityHeaders: readonly [string, string][] = [
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cross-origin-resource-policy', 'same-origin'],
  ['cache-control', 'no-store'],
];

/** A caller's own id is kept when it is short and printable, so that it cannot forge a line in a log. */
const usableId = /^[A-Za-z0-9._-]{1,64}$/;

const noHost = () =>
  badInput({ path: 'Host', code: 'Required', message: 'is required: HTTP/1.1 asks for this header in every request' });

/** Their last part is the name of an action, which no statement gets to see. */
const namesAction = /^\/api\/(agent\/tools|app\/actions)\/[^/]+$/;

/** PostgreSQL accepts no NUL, so no id or name has one. */
const mustBeText = (url: string) => {
  if (!url.includes('%00')) return;
  const [path = '', ...query] = url.split('?');
  if (path.includes('%00') && !namesAction.test(path))
    throw new Refusal('NotFound', 'There is nothing at this path. The paths are in /openapi.json.');
  // The identity provider refuses it by itself, in the words of its protocol.
  if (query.join('?').includes('%00') && !path.startsWith('/auth/')) {
    throw badInput({ path: 'query', code: 'BadText', message: 'holds a NUL character' });
  }
};

/** Runs first: gives the request its id, and the answer that id and the headers that every answer has. */
export const tagRequest =
  ({ https }: { https: boolean }) =>
  (req: IncomingMessage, res: ServerResponse, next: () => void) => {
    const sent = req.headers['x-request-id'];
    req.requestId = typeof sent === 'string' && usableId.test(sent) ? sent : randomUUID();
    res.setHeader('x-request-id', req.requestId);
    for (const [name, value] of securityHeaders) res.setHeader(name, value);
    if (https) res.setHeader('strict-transport-security', 'max-age=31536000');
    if (req.headers.host === undefined) throw noHost();
    mustBeText(req.url ?? '');
    next();
  };
