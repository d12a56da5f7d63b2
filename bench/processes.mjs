import { execFile, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const startMs = 240_000;
const stopMs = 15_000;

const children = new Set();
// Catches processes that were started while `stopAll` was running.
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

const keep = (child) => {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
};

/** Ends everything that was started here, by its own id. */
export const stopAll = (but = new Set()) => Promise.all([...children].filter(({ pid }) => !but.has(pid)).map(stop));

export const stopPid = (pid) => stop([...children].find((child) => child.pid === pid));

const stop = async (child) => {
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const last = setTimeout(() => child.kill('SIGKILL'), stopMs);
  await gone;
  clearTimeout(last);
};

/** A contender or the load generator: one of our own files, which talks over IPC. */
export const startFile = (path, env = {}) =>
  keep(
    fork(resolve(import.meta.dirname, path), {
      env: { ...process.env, ...env },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  );

export const messageFrom = async (child) => {
  const gone = new AbortController();
  const [message] = await Promise.race([
    once(child, 'message', { signal: gone.signal }),
    once(child, 'exit', { signal: gone.signal }).then(([code]) => {
      throw new Error(`${child.spawnargs.at(-1)} ended with code ${code}`);
    }),
  ]).finally(() => gone.abort());
  return message;
};

export const startContender = async (path, env) => {
  const child = startFile(path, env);
  const { port } = await messageFrom(child);
  return { pid: child.pid, url: `http://127.0.0.1:${port}` };
};

/** The service as an operator runs it, with its log in a file. */
export const startService = async (cli, env, logFile, patienceMs = startMs) => {
  const log = openSync(logFile, 'a');
  const child = keep(
    // With this variable the service exits when we are killed, as it does under `npm start`.
    spawn(process.execPath, [cli, 'start'], {
      env: { ...process.env, ...env, PORT: '0', npm_lifecycle_event: 'start' },
      stdio: ['ignore', log, log],
    }),
  );
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const said = readFileSync(logFile, 'utf8');
    const port = /ready at http:\/\/localhost:(\d+)/.exec(said)?.[1];
    if (port !== undefined) return { pid: child.pid, url: `http://127.0.0.1:${port}` };
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`The service did not start:\n${said}`);
    await sleep(20);
  }
};

/** Runs a CLI command of the service and parses the JSON it prints. */
export const command = async (cli, env, ...args) => {
  const { stdout } = await promisify(execFile)(process.execPath, [cli, ...args], { env: { ...process.env, ...env } });
  return JSON.parse(stdout);
};

/** CPU time of a process with all its threads, in seconds; undefined where /proc does not tell. */
export const cpuSeconds = (pid) => {
  try {
    const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    );
    return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e9;
  } catch {
    return undefined;
  }
};

const ticksPerSecond = 100;

/**
 * CPU time of process trees, in seconds, including children that have exited: PostgreSQL starts and stops processes by
 * itself, and the kernel adds the time of an exited child to its parent. Undefined if /proc is not available.
 */
export const treeCpuSeconds = (pids) => {
  const ticks = pids.map(ticksOf).filter((count) => count !== undefined);
  return ticks.length === 0 ? undefined : ticks.reduce((sum, each) => sum + each, 0) / ticksPerSecond;
};

/** CPU ticks of the process and its exited children; undefined if the process itself has exited. */
const ticksOf = (pid) => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  } catch {
    return undefined;
  }
};
