import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { RequestHandler } from 'express';
import { packageRoot } from '#server/base/config/config';
import { sha256 } from '#server/base/sha256';
import { acceptsGzip } from './reply.ts';

/** A document of openapi/, with the address of this server. It changes only with a release, so it is compressed once. */
export const openapiDocument = (file: string, baseUrl: string): RequestHandler<Record<string, string>> => {
  // Most servers are never asked for it, and parsing it would delay every start.
  let document: ReturnType<typeof readDocument> | undefined;
  let compressed: Buffer | undefined;
  return (req, res) => {
    document ??= readDocument(file, baseUrl);
    const { plain, etag } = document;
    res.setHeader('cache-control', 'no-cache');
    res.setHeader('etag', etag);
    res.appendHeader('vary', 'accept-encoding');
    if (req.headers['if-none-match']?.replaceAll('W/', '').includes(etag)) return void res.writeHead(304).end();
    const isCompressed = acceptsGzip(res);
    if (isCompressed) compressed ??= gzipSync(plain);
    const bytes = (isCompressed && compressed) || plain;
    res.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': bytes.length,
      ...(isCompressed && { 'content-encoding': 'gzip' }),
    });
    res.end(bytes);
  };
};

const readDocument = (file: string, baseUrl: string) => {
  const document = JSON.parse(readFileSync(join(packageRoot, 'openapi', file), 'utf8'));
  const plain = Buffer.from(JSON.stringify({ ...document, servers: [{ url: baseUrl, description: 'This server' }] }));
  return { plain, etag: `"${sha256(plain, 'base64url').slice(0, 22)}"` };
};
