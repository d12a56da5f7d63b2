import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#test/support/processes';
import type { Balancer } from './balancer.ts';
import { type WorldClock, writeProcessClock } from './clocks.ts';

const root = resolve(import.meta.dirname, '..', '..');
const roles = ['web', 'all', 'jobs'] as const;
type Role = (typeof roles)[number];

/** Three times START_PATIENCE, because connections also break while a process starts. */
const startWithinMs = 180_000;
/** Longer than DRAIN_SECONDS and what follows it. */
const stopWithinMs = 45_000;
const logTailLength = 1_500;

export interface Instance {
  readonly role: Role;
  readonly port: number;
  readonly clockFile: string;
  skewMs: number;
  child: ChildProcess | undefined;
  /** A fault is being applied to it. */
  isBusy: boolean;
}

/** When a process was down, by the world clock. */
export interface Outage {
  readonly role: Role;
  readonly fault: string;
  readonly fromMs: number;
  untilMs: number;
}

export type Instances = Awaited<ReturnType<typeof startInstances>>;

/** One process for requests, one for jobs, one for both; a supervisor restarts whatever has ended. */
export const startInstances = async ({
  settings,
  folder,
  balancer,
  clock,
  describeSessions,
}: {
  settings: NodeJS.ProcessEnv;
  folder: string;
  balancer: Balancer;
  clock: WorldClock;
  describeSessions: () => Promise<string>;
}) => {
  const problems: string[] = [];
  const outages: Outage[] = [];
  let starts = 0;
  let startsGivenUp = 0;
  let isClosing = false;

  const launch = (instance: Instance) => {
    const { role, port, clockFile } = instance;
    writeProcessClock(clockFile, instance.skewMs);
    const child = spawn(process.execPath, ['dist/cli.js', 'start', '--role', role], {
      cwd: root,
      env: {
        ...settings,
        PORT: String(port),
        SOAK_CLOCK_FILE: clockFile,
        NODE_OPTIONS: `--require ${JSON.stringify(join(import.meta.dirname, 'process-clock.cjs'))}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    instance.child = child;
    starts++;
    let output = '';
    const ready = new Promise<boolean>((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output = (output + text).slice(-logTailLength);
          if (output.includes('is ready at')) resolve(true);
        });
      }
      child.once('close', () => resolve(false));
      setTimeout(() => resolve(false), startWithinMs).unref();
    });
    return { child, ready, output: () => output.trim() };
  };

  /** Like a supervisor: retries until the process runs. */
  const bringUp = async (instance: Instance): Promise<void> => {
    while (!isClosing) {
      const { child, ready, output } = launch(instance);
      if (await ready) {
        if (instance.role !== 'jobs') balancer.set(instance.port, true);
        child.once('close', (code, signal) => {
          if (isClosing || instance.isBusy) return;
          problems.push(`the ${instance.role} process ended by itself (${signal ?? code}): ${output()}`);
          void repair(instance, 'ended by itself', async () => undefined);
        });
        return;
      }
      if (isClosing) return;
      const how = child.exitCode === null ? `took over ${startWithinMs / 1000} s` : `ended with ${child.exitCode}`;
      // After START_PATIENCE a start gives up and says why; the supervisor starts it again.
      if (child.exitCode === 1 && /The database cannot be used: .*\s*$/.test(output())) startsGivenUp++;
      else {
        const sessions = await describeSessions().catch((error: unknown) => String(error));
        problems.push(`a start of the ${instance.role} process ${how}: ${output()}\n${sessions}`);
      }
      child.kill('SIGKILL');
      await sleep(500);
    }
  };

  /** Takes the process down and starts it again. */
  const repair = async (instance: Instance, fault: string, takeDown: () => Promise<unknown>) => {
    instance.isBusy = true;
    const outage = { role: instance.role, fault, fromMs: clock.nowMs(), untilMs: Number.POSITIVE_INFINITY };
    outages.push(outage);
    balancer.set(instance.port, false);
    await takeDown();
    await bringUp(instance);
    outage.untilMs = clock.nowMs();
    instance.isBusy = false;
  };

  const ended = (child: ChildProcess | undefined) =>
    child === undefined || child.exitCode !== null || child.signalCode !== null
      ? Promise.resolve()
      : new Promise<void>((resolve) => void child.once('close', () => resolve()));

  const signal = (instance: Instance, name: NodeJS.Signals) => async () => {
    const { child } = instance;
    child?.kill(name);
    const hasEnded = await Promise.race([ended(child).then(() => true), sleep(stopWithinMs, false)]);
    if (hasEnded) return;
    problems.push(`the ${instance.role} process did not end within ${stopWithinMs / 1000} s of ${name}`);
    child?.kill('SIGKILL');
    await ended(child);
  };

  const all: Instance[] = [];
  for (const role of roles) {
    const port = await freePort();
    all.push({ role, port, clockFile: join(folder, `clock-${role}`), skewMs: 0, child: undefined, isBusy: false });
  }
  // One after the other: the first one migrates.
  for (const instance of all) await bringUp(instance);

  const isUp = ({ isBusy }: Instance) => !isBusy;

  return {
    all: all as readonly Instance[],
    outages: outages as readonly Outage[],
    problems: problems as readonly string[],
    pids: () => all.flatMap(({ child }) => child?.pid ?? []),
    starts: () => starts,
    startsGivenUp: () => startsGivenUp,

    /** Instances that can be taken down while another one still serves and another one still publishes. */
    expendable: () =>
      all.filter((instance) => {
        const others = all.filter((one) => one !== instance && isUp(one));
        return (
          isUp(instance) && others.some(({ role }) => role !== 'jobs') && others.some(({ role }) => role !== 'web')
        );
      }),

    kill: (instance: Instance) => repair(instance, 'kill', signal(instance, 'SIGKILL')),
    restart: (instance: Instance) => repair(instance, 'restart', signal(instance, 'SIGTERM')),

    /** The balancer is not notified: it notices by timeout. */
    stop: async (instance: Instance, wait: Promise<unknown>) => {
      instance.isBusy = true;
      const outage = { role: instance.role, fault: 'stop', fromMs: clock.nowMs(), untilMs: Number.POSITIVE_INFINITY };
      outages.push(outage);
      instance.child?.kill('SIGSTOP');
      await Promise.race([wait, sleep(3_000)]);
      balancer.set(instance.port, false);
      await wait;
      instance.child?.kill('SIGCONT');
      outage.untilMs = clock.nowMs();
      await sleep(500);
      if (instance.role !== 'jobs') balancer.set(instance.port, true);
      instance.isBusy = false;
      // The exit handler ignores busy instances, so check whether it ended meanwhile.
      if (instance.child?.exitCode !== null || instance.child.signalCode !== null) {
        problems.push(`the ${instance.role} process ended after it was stopped and continued`);
        await repair(instance, 'ended by itself', async () => undefined);
      }
    },

    setClock: (instance: Instance, skewMs: number) => {
      instance.skewMs = skewMs;
      writeProcessClock(instance.clockFile, skewMs);
      if (!instance.isBusy) instance.child?.kill('SIGUSR2');
    },

    close: async () => {
      isClosing = true;
      for (const { child } of all) {
        child?.kill('SIGCONT');
        child?.kill('SIGTERM');
      }
      await Promise.race([Promise.all(all.map(({ child }) => ended(child))), sleep(20_000)]);
      for (const { child } of all) child?.kill('SIGKILL');
    },
  };
};
