import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

export interface ProcessBounds {
  /** Limit for the whole run. */
  readonly timeMs: number;
  /** Limit for a period without output. */
  readonly silentMs?: number;
  /** Address space. Left out for programs that reserve far more than they use, as Node does. */
  readonly memoryBytes?: number;
  /** Limit for each file that the program writes. */
  readonly fileBytes: number;
}

export type ProcessEnd =
  | { readonly is: 'done'; readonly output: Buffer }
  /** The program exited with an error code of its own. */
  | { readonly is: 'failed'; readonly stderr: string }
  | { readonly is: 'ended'; readonly why: EndReason };

/** Why it was ended from outside. `Killed`: by the system, usually because memory ran out. */
export type EndReason = 'TookTooLong' | 'TooManyBytes' | 'Killed' | 'Stopped';

const mostOutputBytes = 32 * 1024 * 1024;
const mostErrorBytes = 4_000;
/** Niceness: requests and sends go first. */
const niceness = '10';

/**
 * File descriptor 3 is a pipe that closes when the service ends, even after kill -9. The shell then kills its whole
 * process group, so that no orphan keeps running. The program inherits the limits of the shell.
 */
const script = `ulimit -c 0; ulimit -f "$1"; ulimit -t "$2"; [ "$3" = 0 ] || ulimit -v "$3" 2>/dev/null; shift 3
nice -n ${niceness} "$@" 3<&- & program=$!
{ read -r _ <&3; kill -9 0; } 2>/dev/null & watch=$!
wait "$program"; status=$?
kill "$watch" 2>/dev/null
exit "$status"`;

const fileBlock = 512;
/** ffmpeg runs with two threads, and its other work uses little CPU. */
const mostCores = 4;
/** Where programs are looked up without FFMPEG_PATH. */
export const searchPath = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin';
/** A shell exits with 128 plus the number of the signal that ended its program. */
const signals = { kill: 137, cpu: 152, fileSize: 153 };

/**
 * If this process was paused, the timer fires late, before we have read the output of the program. So the timeout is
 * extended once, by the delay.
 */
const startTimeout = (ms: number, onTimeout: () => void) => {
  let dueMs = 0;
  let timer: NodeJS.Timeout | undefined;
  const extendOnce = () => {
    timer = setTimeout(onTimeout, Math.max(0, Math.min(performance.now() - dueMs, ms)));
  };
  const restart = () => {
    clearTimeout(timer);
    dueMs = performance.now() + ms;
    timer = setTimeout(extendOnce, ms);
  };
  restart();
  return { restart, stop: () => clearTimeout(timer) };
};

/** Runs a program with low priority, and ends it when it exceeds a bound. */
export const runBounded = (
  program: string,
  args: readonly string[],
  bounds: ProcessBounds,
  {
    onOutput,
    signal,
    env = {},
  }: {
    readonly onOutput?: (text: string) => void;
    readonly signal?: AbortSignal | undefined;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<ProcessEnd> =>
  new Promise((resolve, reject) => {
    const cpuSeconds = Math.ceil((bounds.timeMs / 1000) * mostCores);
    const limits = [
      Math.ceil(bounds.fileBytes / fileBlock),
      cpuSeconds,
      Math.ceil((bounds.memoryBytes ?? 0) / 1024),
    ].map(String);
    // Nothing else of our environment: it holds secrets.
    const child = spawn('/bin/sh', ['-c', script, 'sh', ...limits, program, ...args], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      // A process group of its own.
      detached: true,
      env: { PATH: searchPath, LC_ALL: 'C', MALLOC_ARENA_MAX: '2', ...env },
    });
    const lifeline = child.stdio[3] as Writable;
    lifeline.on('error', () => undefined);
    child.on('exit', () => lifeline.destroy());
    let why: EndReason | undefined;
    const end = (reason: EndReason) => {
      why ??= reason;
      lifeline.destroy();
    };
    const time = startTimeout(bounds.timeMs, () => end('TookTooLong'));
    const silence = bounds.silentMs === undefined ? undefined : startTimeout(bounds.silentMs, () => end('TookTooLong'));
    const stop = () => end('Stopped');
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();

    const output: Buffer[] = [];
    let outputBytes = 0;
    let stderr = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      silence?.restart();
      if (onOutput) return onOutput(chunk.toString('latin1'));
      outputBytes += chunk.length;
      if (outputBytes > mostOutputBytes) return end('TooManyBytes');
      output.push(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(-mostErrorBytes);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      time.stop();
      silence?.stop();
      signal?.removeEventListener('abort', stop);
      if (why !== undefined) resolve({ is: 'ended', why });
      else if (code === 0) resolve({ is: 'done', output: Buffer.concat(output) });
      else if (code === signals.fileSize) resolve({ is: 'ended', why: 'TooManyBytes' });
      else if (code === signals.cpu) resolve({ is: 'ended', why: 'TookTooLong' });
      else if (code === null || code === signals.kill) resolve({ is: 'ended', why: 'Killed' });
      else resolve({ is: 'failed', stderr: stderr.trim() });
    });
  });
