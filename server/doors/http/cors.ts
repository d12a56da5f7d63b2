import type { RequestHandler } from 'express';

/**
 * The paths that accept tokens, and the OpenAPI document. Credentials are not allowed, so no other origin can use a
 * session.
 */
const paths = /^\/(?:api\/agent\/tools(?:\/[^/]+)?|api\/media(?:\/from-url|\/uploads(?:\/[^/]+)?)?|openapi\.json)$/;

const exposed = [
  'Location',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Resumable',
  'Tus-Version',
  'Upload-Expires',
  'Upload-Length',
  'Upload-Offset',
  'X-Request-Id',
  'Idempotency-Replayed',
  'Posthorn-Role',
  'Posthorn-User',
  'Posthorn-Workspace',
  'Posthorn-Workspace-Name',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
].join(', ');

const allowed = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'Tus-Resumable',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-Request-Id',
].join(', ');

/** CORS_ORIGINS: pages of these origins may use the API with a token. */
export const allowOrigins =
  (origins: readonly string[]): RequestHandler =>
  (req, res, next) => {
    const { origin } = req.headers;
    if (origins.length === 0 || !paths.test(req.path)) return next();
    res.appendHeader('vary', 'Origin');
    if (origin === undefined || !origins.includes(origin)) return next();
    res.setHeader('access-control-allow-origin', origin);
    res.setHeader('access-control-expose-headers', exposed);
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) return next();
    res.setHeader('access-control-allow-methods', 'GET, HEAD, POST, PATCH, DELETE');
    res.setHeader('access-control-allow-headers', allowed);
    res.setHeader('access-control-max-age', '7200');
    return res.writeHead(204).end();
  };
