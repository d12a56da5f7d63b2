import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { startService } from './service.ts';

export type Line = Awaited<ReturnType<typeof startLine>>;

/** The way from a service to the sandbox, where a test hears the questions, holds them, and answers in the network's place. */
export const startLine = async (target = '') => {
  const line = {
    url: '',
    target,
    asked: [] as string[],
    /** What a question waits for. */
    gate: (_path: string): Promise<unknown> | undefined => undefined,
    /** What an answer of the network waits for. */
    answerGate: (_path: string): Promise<unknown> | undefined => undefined,
    /** True when it has answered, or never will. */
    answer: (_path: string, _res: ServerResponse): boolean => false,
    hangUp: () => server.closeAllConnections(),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  // Whoever asks closes what it keeps.
  const server = createServer({ keepAliveTimeout: 0 }, async (req: IncomingMessage, res) => {
    const path = req.url ?? '';
    line.asked.push(path);
    await line.gate(path);
    if (line.answer(path, res)) return;
    const on = request(line.target + path, { method: req.method, headers: req.headers }, async (answer) => {
      await line.answerGate(path);
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, res, () => undefined);
    });
    on.on('error', () => res.destroy());
    req.pipe(on);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  line.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return line;
};

/** A service that talks to its sandbox over a line. */
export const startServiceOnLine = async (...[settings, how]: Parameters<typeof startService>) => {
  const line = await startLine();
  const service = await startService({ SANDBOX_URL: line.url, ...settings }, how);
  line.target = service.url;
  return { service, line };
};
