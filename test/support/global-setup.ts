import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { runBuild } from './builds.ts';
import { useMemoryFolder } from './memory-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the server below. */
    sharedUrl: string;
  }
}

/**
 * What test files share is built or started here on first use, so a file waits only for what it uses.
 * This process outlives every worker, so a worker that is killed leaves no half-finished build.
 */
export default async function setup(project: TestProject) {
  const stops: (() => Promise<void>)[] = [];
  const leaveMemoryFolder = useMemoryFolder();
  const makers: Record<string, () => Promise<unknown>> = {
    '/program': () => runBuild('build.mjs'),
    '/web': () => runBuild('build-web.mjs'),
    '/help': () => runBuild('build-help.mjs'),
    '/postgres': async () => {
      const { startPostgres } = await import('./postgres.ts');
      const { stop, ...postgres } = await startPostgres();
      stops.push(stop);
      return postgres;
    },
  };
  const results = new Map<string, Promise<unknown>>();
  const resultAt = (path: string) => {
    const result = results.get(path) ?? makers[path]?.() ?? Promise.reject(new Error(`nothing is shared at ${path}`));
    results.set(path, result);
    return result;
  };

  const server = createServer({ keepAliveTimeout: 0 }, (req, res) => {
    resultAt(req.url ?? '').then(
      (result) => res.end(JSON.stringify(result ?? {})),
      (error: Error) => res.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  project.provide('sharedUrl', `http://127.0.0.1:${address.port}`);

  return async () => {
    server.close();
    server.closeAllConnections();
    await Promise.allSettled(results.values());
    for (const stop of stops) await stop();
    leaveMemoryFolder();
  };
}
