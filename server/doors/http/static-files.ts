import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Request, Response } from 'express';
import { sha256 } from '#server/base/sha256';

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
  png: 'image/png',
  webp: 'image/webp',
  woff2: 'font/woff2',
  webmanifest: 'application/manifest+json',
};

/** Mantine needs inline styles. Nothing is loaded from another host. */
export const contentSecurity = [
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

export interface StaticFile {
  readonly type: string;
  readonly tag: string;
  readonly plain: Buffer;
  /** Compressed by the build. */
  readonly compressed: readonly { encoding: 'br' | 'gzip'; bytes: Buffer }[];
}

interface Answer {
  readonly status: number;
  readonly cache: string;
  readonly security?: string;
}

export const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD';

/** Browsers name text/html when they open a page; programs and fetch() do not. */
export const wantsPage = ({ headers }: Request) => headers.accept?.includes('text/html') ?? false;

export const sendStaticFile = (
  req: Request,
  res: Response,
  { type, tag, plain, compressed }: StaticFile,
  { status, cache, security = contentSecurity }: Answer,
) => {
  res.setHeader('cache-control', cache);
  if (cache !== 'no-store') res.setHeader('etag', tag);
  res.setHeader('vary', 'accept-encoding');
  res.setHeader('content-security-policy', security);
  if (status === 200 && req.headers['if-none-match'] === tag) return res.writeHead(304).end();
  const accepted = String(req.headers['accept-encoding'] ?? '');
  const variant = compressed.find(({ encoding }) => new RegExp(`\\b${encoding}\\b(?!;q=0(\\D|$))`).test(accepted));
  if (variant) res.setHeader('content-encoding', variant.encoding);
  const bytes = variant?.bytes ?? plain;
  res.writeHead(status, { 'content-type': type, 'content-length': bytes.length });
  return res.end(req.method === 'HEAD' ? undefined : bytes);
};

/** All files of a built folder by their path, such as `/index.html`. They stay in memory. */
export const readStaticFiles = (folder: string): Map<string, StaticFile> => {
  if (!existsSync(folder)) return new Map();
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const pathSet = new Set(paths);
  const files = paths.flatMap((path): [string, StaticFile][] => {
    const type = types[path.slice(path.lastIndexOf('.') + 1)];
    if (type === undefined) return [];
    const plain = readFileSync(path);
    const compressed = (['br', 'gzip'] as const).flatMap((encoding) => {
      const file = `${path}.${encoding === 'br' ? 'br' : 'gz'}`;
      return pathSet.has(file) ? [{ encoding, bytes: readFileSync(file) }] : [];
    });
    const tag = `"${sha256(plain, 'base64url').slice(0, 22)}"`;
    return [[`/${relative(folder, path).replaceAll('\\', '/')}`, { type, tag, plain, compressed }]];
  });
  return new Map(files);
};
