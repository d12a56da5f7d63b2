import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The part of S3 that media needs, in memory. A request without a signature is refused. */
export const startS3 = async ({ bucket = 'media', region = 'eu-test', pageSize = 2 } = {}) => {
  const objects = new Map<string, { body: Buffer; type: string; changedAt: Date }>();
  const signatures: string[] = [];
  // Connections are never closed here: a request on one that was about to close would fail.
  const server = createServer({ keepAliveTimeout: 0 }, async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const { authorization = '', range } = req.headers;
    signatures.push(authorization);
    const signed = new RegExp(
      `^AWS4-HMAC-SHA256 Credential=key/\\d{8}/${region}/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=[0-9a-f]{64}$`,
    );
    if (!signed.test(authorization) || req.headers['x-amz-content-sha256'] !== 'UNSIGNED-PAYLOAD') {
      return res.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
    }
    const url = new URL(req.url ?? '', 'http://s3');
    const [, inBucket, key = ''] = url.pathname.split('/');
    if (inBucket !== bucket) return res.writeHead(404).end('<Error><Code>NoSuchBucket</Code></Error>');
    if (key === '') return res.end(list(url.searchParams.get('continuation-token') ?? ''));
    const found = objects.get(key);
    if (req.method === 'PUT') {
      objects.set(key, {
        body: Buffer.concat(chunks),
        type: req.headers['content-type'] ?? '',
        changedAt: new Date(),
      });
      return res.end();
    }
    if (req.method === 'DELETE') {
      objects.delete(key);
      return res.writeHead(204).end();
    }
    if (found === undefined) return res.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
    const body = first === undefined ? found.body : found.body.subarray(Number(first), Number(last) + 1);
    res.writeHead(first === undefined ? 200 : 206, { 'content-length': body.length }).end(body);
  });
  const list = (after: string) => {
    const keys = [...objects.keys()].sort().filter((key) => key > after);
    const page = keys.slice(0, pageSize);
    const entries = page.map(
      (key) =>
        `<Contents><Key>${key}</Key><LastModified>${objects.get(key)?.changedAt.toISOString()}</LastModified></Contents>`,
    );
    const more = keys.length > pageSize ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    return `<ListBucketResult>${entries.join('')}${more}</ListBucketResult>`;
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    objects,
    signatures,
    settings: {
      S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      S3_BUCKET: bucket,
      S3_REGION: region,
      S3_ACCESS_KEY_ID: 'key',
      S3_SECRET_ACCESS_KEY: 'secret',
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
