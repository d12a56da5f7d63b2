import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import { isPagePath } from '#web/paths.ts';

/** Mantine needs inline styles. Nothing is loaded from another host. */
const contentSecurity = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The service worker shows push messages and fetches nothing. */
const workerPath = '/push-worker.js';
const workerSecurity = "default-src 'none'";

/** Built files have a hash in their name. */
const hashedPath = /^\/assets\/[\w.-]+$/;
const fontPath = '/geist.woff2';
const fontFile = /^\/assets\/geist-latin-wght-normal[\w.-]*\.woff2$/;
/** Redirects for a hashed file that this process lacks: during a deployment another process may have that release. */
const maxTries = 10;
const retryDelayMs = 100;

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
  webmanifest: 'application/manifest+json',
};

interface WebFile {
  readonly type: string;
  readonly tag: string;
  readonly plain: Buffer;
  /** Compressed by the build. */
  readonly compressed: readonly { encoding: 'br' | 'gzip'; bytes: Buffer }[];
}

export type WebApp = ReturnType<typeof createWebApp>;

/** Serves the built web app in `folder`: its files, and its page for every path that a person opens. */
export const createWebApp = (folder: string) => {
  let files: ReadonlyMap<string, WebFile> | undefined;
  const find = (path: string) => {
    files ??= readFiles(folder);
    return files.get(path);
  };

  /** Browsers request /favicon.ico by themselves; pages that no build knows name the font without its hash. */
  const aliasOf = (path: string) => {
    if (path === '/favicon.ico') return '/favicon.svg';
    if (path !== fontPath) return path;
    find(path);
    return [...(files?.keys() ?? [])].find((name) => fontFile.test(name)) ?? path;
  };

  const send = (
    req: Request,
    res: Response,
    { type, tag, plain, compressed }: WebFile,
    status: number,
    cache: string,
  ) => {
    res.setHeader('cache-control', cache);
    if (cache !== 'no-store') res.setHeader('etag', tag);
    res.setHeader('vary', 'accept-encoding');
    res.setHeader('content-security-policy', req.path === workerPath ? workerSecurity : contentSecurity);
    if (status === 200 && req.headers['if-none-match'] === tag) return res.writeHead(304).end();
    const accepted = String(req.headers['accept-encoding'] ?? '');
    const variant = compressed.find(({ encoding }) => new RegExp(`\\b${encoding}\\b(?!;q=0(\\D|$))`).test(accepted));
    if (variant) res.setHeader('content-encoding', variant.encoding);
    const bytes = variant?.bytes ?? plain;
    res.writeHead(status, { 'content-type': type, 'content-length': bytes.length });
    return res.end(req.method === 'HEAD' ? undefined : bytes);
  };

  const sendPage = (req: Request, res: Response, status: number, cache: 'no-cache' | 'no-store' = 'no-cache') => {
    const takesPage = status === 404 ? wantsPage(req) : acceptsPage(req);
    const page = isRead(req) && takesPage ? find('/index.html') : undefined;
    if (page === undefined) return false;
    send(req, res, page, status, cache);
    return true;
  };

  return {
    /** Returns false if the client does not accept HTML. `no-store` is for secret addresses. */
    sendPage,

    /** Hashed files never change; browsers revalidate the others. */
    files: ((req, res, next) => {
      if (!isRead(req)) return next();
      const path = aliasOf(req.path);
      const file = path === '/index.html' ? undefined : find(path);
      const isHashed = hashedPath.test(req.path);
      if (file) send(req, res, file, 200, isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      else if (isHashed) retryElsewhere(req, res, next);
      else next();
    }) satisfies RequestHandler,

    pages: ((req, res, next) => {
      if (!isPagePath(req.path) || !sendPage(req, res, 200)) next();
    }) satisfies RequestHandler,

    /** The last handler: browsers get the app's Not found page, programs the error shape. */
    notFound: ((req, res, next) => {
      if (/^\/(api|\.well-known)\//.test(req.path) || !sendPage(req, res, 404)) next();
    }) satisfies RequestHandler,
  };
};

/** During a deployment: redirect over a new connection, so that the load balancer picks another process. */
const retryElsewhere: RequestHandler = (req, res, next) => {
  const tries = Number(req.query.again ?? 0);
  if (!Number.isInteger(tries) || tries < 0 || tries >= maxTries) return next();
  setTimeout(() => {
    const location = `${req.path}?again=${tries + 1}`;
    res.writeHead(307, { location, 'cache-control': 'no-store', connection: 'close' }).end();
  }, retryDelayMs);
};

const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD';

/** Pages go to every client that does not exclude HTML, such as curl and monitors. */
const acceptsPage = (req: Request) => req.accepts('html') !== false;

/** Browsers name text/html when they open a page; programs and fetch() do not. */
const wantsPage = ({ headers }: Request) => headers.accept?.includes('text/html') ?? false;

const readFiles = (folder: string): Map<string, WebFile> => {
  if (!existsSync(folder)) return new Map();
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const pathSet = new Set(paths);
  const files = paths.flatMap((path): [string, WebFile][] => {
    const type = types[path.slice(path.lastIndexOf('.') + 1)];
    if (type === undefined) return [];
    const plain = readFileSync(path);
    const compressed = (['br', 'gzip'] as const).flatMap((encoding) => {
      const file = `${path}.${encoding === 'br' ? 'br' : 'gz'}`;
      return pathSet.has(file) ? [{ encoding, bytes: readFileSync(file) }] : [];
    });
    const tag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
    return [[`/${relative(folder, path).replaceAll('\\', '/')}`, { type, tag, plain, compressed }]];
  });
  return new Map(files);
};
