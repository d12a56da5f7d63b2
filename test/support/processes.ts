import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { serverHolding } from '#server/base/store/embedded-process';
import { buildProgram, buildWeb } from './shared.ts';
import { until } from './until.ts';

export interface ExitResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export type Processes = Awaited<ReturnType<typeof createProcesses>>;
export type Running = Awaited<ReturnType<Processes['start']>>;

const ownRoot = resolve(import.meta.dirname, '..', '..');

/** The command `posthorn` of the clone in `root`, as real processes with a data folder of their own. */
export const createProcesses = async (
  root = ownRoot,
  /** For every process. */
  shared: NodeJS.ProcessEnv = {},
) => {
  // Outside a test run (scripts/soak) the launcher builds.
  if (root === ownRoot && process.env.VITEST) await Promise.all([buildProgram(), buildWeb()]);
  const dir = await mkdtemp(join(tmpdir(), 'posthorn-process-'));
  await chmod(dir, 0o711); // PostgreSQL may run as another user
  const dataDir = join(dir, 'data');
  const port = await freePort();
  const children: ChildProcess[] = [];
  const outputs: string[] = [];
  const services: { stdout: string; stderr: string }[] = [];

  const common: NodeJS.ProcessEnv = { POSTHORN_DATA: dataDir, PORT: String(port), ...shared };

  const launch = (file: string, args: readonly string[], settings: NodeJS.ProcessEnv) => {
    const { PATH, HOME, TMPDIR } = process.env;
    const env = { PATH, HOME, TMPDIR, ...common, ...settings };
    const child = spawn(process.execPath, [file, ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    const output = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        output[stream] += text;
        outputs.push(text);
      });
    }
    const ended = once(child, 'close').then(([code]): ExitResult => ({ code, ...output }));
    return { child, output, ended };
  };
  // The first one compiles.
  let program = 'scripts/posthorn.mjs';
  const posthorn = (args: readonly string[], settings: NodeJS.ProcessEnv) => {
    const started = launch(program, args, settings);
    void started.ended.then(() => {
      program = 'dist/cli.js';
    });
    return started;
  };
  const postgres = () => serverHolding(join(dataDir, 'database/pg/postmaster.pid'));

  return {
    dir,
    dataDir,
    port,
    /** What every process gets. */
    settings: common,
    /** The output of all processes. */
    outputs,
    /** The output of the services among them. */
    logs: () => services.map(({ stdout, stderr }) => stdout + stderr).join(''),

    run: (args: readonly string[], settings: NodeJS.ProcessEnv = {}) => posthorn(args, settings).ended,

    /** A command that runs until it is ended. */
    open: (args: readonly string[]) => posthorn(args, {}),

    /** Runs a command that must succeed, and parses its JSON. */
    ask: async (...args: string[]): Promise<Record<string, string>> => {
      const { code, stdout, stderr } = await posthorn(args, {}).ended;
      if (code !== 0) throw new Error(`posthorn ${args.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },

    /** Runs `posthorn start` and waits until it has printed `words`. */
    start: async (words = /is ready at (\S+)/, settings: NodeJS.ProcessEnv = {}, ...args: string[]) => {
      const { child, output, ended } = posthorn(['start', ...args], settings);
      services.push(output);
      await until(
        `posthorn start says ${words}`,
        () => words.test(output.stdout) || child.exitCode !== null,
        // A start takes seconds of CPU, and several may start at once on a busy machine.
        240_000,
      );
      const url = words.exec(output.stdout)?.[1] ?? '';
      if (child.exitCode !== null) throw new Error(`posthorn start ended: ${output.stderr}`);
      return {
        url,
        pid: child.pid ?? 0,
        ended,
        kill: (signal: NodeJS.Signals) => child.kill(signal),
        /** Signs in as in a browser, and returns a function that posts to a path of the app. */
        signIn: async (person: { email: string; password: string }) => {
          const headers = { origin: url, 'content-type': 'application/json' };
          const init = { method: 'POST', headers, body: JSON.stringify(person) };
          const answer = await fetch(`${url}/api/auth/sign-in`, init);
          const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
          const post = async (path: string, body: unknown) => {
            const signedIn = { ...init, headers: { ...headers, cookie }, body: JSON.stringify(body) };
            const response = await fetch(url + path, signedIn);
            if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
            return (await response.json()) as Record<string, unknown>;
          };
          return Object.assign(post, { cookie });
        },
        call: async (token: string, action: string, input: unknown = {}) => {
          const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
          const body = JSON.stringify(input);
          const answer = await fetch(`${url}/api/agent/tools/${action}`, { method: 'POST', headers, body });
          return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
        },
      };
    },

    postgres,

    /** Ends all processes, also after a failed test. */
    clear: async () => {
      for (const child of children) child.kill('SIGKILL');
      const server = postgres();
      if (server) process.kill(server.pid, 'SIGQUIT');
      await until('PostgreSQL is gone', () => !postgres());
      await rm(dir, { recursive: true });
    },
  };
};

/**
 * Below the ephemeral ports of the system, above the last port that browsers refuse (10080), with a range for each worker
 * of the run.
 */
const firstPort = 11_000 + (Number(process.env.VITEST_POOL_ID ?? 0) % 10) * 2_000;
let portsTried = Math.floor(Math.random() * 2_000);

/** A port that is free, and that the system does not assign to another process before it is used. */
export const freePort = async (): Promise<number> => {
  const port = firstPort + (portsTried++ % 2_000);
  const probe = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!isFree) return freePort();
  probe.close();
  await once(probe, 'close');
  return port;
};
