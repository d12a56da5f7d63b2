import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { buildProgram } from './shared.ts';
import { until } from './until.ts';

const root = resolve(import.meta.dirname, '../..');

export type TwinsProcess = Awaited<ReturnType<typeof startTwins>>;

/** `posthorn twins` on a free port until it is ready, or has ended. */
export const startTwins = async (args: readonly string[] = ['--port', '0'], settings: NodeJS.ProcessEnv = {}) => {
  await buildProgram();
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(process.execPath, ['dist/cli.js', 'twins', ...args], {
    cwd: root,
    env: { PATH, HOME, TMPDIR, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }
  const ended = once(child, 'close').then(([code]: (number | null)[]) => ({ code, ...output }));
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  await until('posthorn twins is ready', () => output.stdout.includes('Ctrl-C ends it.') || hasEnded);
  const url = /are ready at (\S+)/.exec(output.stdout)?.[1] ?? '';

  const admin = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => {
    const answer = await fetch(`${url}/admin${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  return {
    url,
    output,
    ended,
    admin,
    /** The line of a network: where it is, and what to sign in with. */
    access: (network: string) => {
      const [, baseUrl = '', clientId = '', clientSecret = '', token = ''] =
        new RegExp(`^  ${network} +(\\S+)  (?:client (\\S+) (\\S+)|any password)  token (\\S+)$`, 'm').exec(
          output.stdout,
        ) ?? [];
      return { baseUrl, clientId, clientSecret, token };
    },
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};
