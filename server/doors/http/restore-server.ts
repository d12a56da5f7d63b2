import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { Refusal } from '#server/base/errors';
import { closeServer } from './listening.ts';
import { reply, replyUnavailable } from './reply.ts';

const cutMs = 1_000;
const restoring = Object.assign(
  new Refusal('Internal', 'A backup is being restored. It takes a few minutes at most.', [], 503),
  { retryAfterSeconds: 5 },
);

/**
 * Answers while the service is stopped for a restore. It is alive but not ready, so that an orchestrator neither kills it
 * in the middle nor sends it requests.
 */
export const serveDuringRestore = async ({
  port,
  host,
  progress,
}: {
  port: number;
  host: string;
  progress: () => string;
}) => {
  const server = createServer((req, res) => {
    const path = (req.url ?? '').split('?')[0];
    res.setHeader('cache-control', 'no-store');
    res.setHeader('connection', 'close');
    req.resume();
    if (path === '/healthz') return answer(res, 200, 'ok');
    if (path === '/readyz') return answer(res, 503, 'restoring a backup');
    if (path === '/api/auth/restore' && req.method === 'GET') {
      return reply(res, 200, { isRunning: true, progress: progress() });
    }
    replyUnavailable(req, res, restoring);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return () => closeServer(server, cutMs);
};

const answer = (res: ServerResponse, status: number, text: string) => {
  res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  res.end(text);
};
