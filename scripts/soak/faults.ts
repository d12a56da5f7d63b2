import { setTimeout as sleep } from 'node:timers/promises';
import { type Embedded, startEmbedded } from '#server/store/embedded';
import { freePort, type Processes, type Running } from '#test/support/processes';
import type { Balancer } from './balancer.ts';

const stopMs = 120_000;
/** Between two faults. */
const pauseMs = 12_000;

interface Instance {
  readonly port: number;
  process: Running;
  busy: boolean;
}

/** What goes wrong: processes killed, stopped for two minutes and ended in peace, the database restarted, the clock moved. */
export const createFaults = async ({
  processes,
  balancer,
  database,
  folder,
  moveClock,
  instances: count,
  seed,
}: {
  processes: Processes;
  balancer: Balancer;
  database: Embedded;
  folder: string;
  moveClock: (seconds: number) => Promise<void>;
  instances: number;
  seed: string;
}) => {
  const chance = randomFrom(seed);
  const counts = { kill: 0, stop: 0, restart: 0, database: 0, clock: 0 };
  const startOn = (port: number) => processes.start(undefined, { PORT: String(port) });
  const all: Instance[] = [];
  for (let i = 0; i < count; i++) {
    const port = await freePort();
    all.push({ port, process: await startOn(port), busy: false });
    balancer.set(port, true);
  }
  let server = database;

  const down = async (instance: Instance, signal: NodeJS.Signals) => {
    balancer.set(instance.port, false);
    instance.process.kill(signal);
    await instance.process.ended;
    instance.process = await startOn(instance.port);
    balancer.set(instance.port, true);
  };

  const kinds = {
    kill: (instance: Instance) => down(instance, 'SIGKILL'),
    restart: (instance: Instance) => down(instance, 'SIGTERM'),
    // Nothing tells the balancer: it finds out by waiting.
    stop: async (instance: Instance) => {
      instance.process.kill('SIGSTOP');
      await sleep(3_000);
      balancer.set(instance.port, false);
      await sleep(stopMs);
      instance.process.kill('SIGCONT');
      await sleep(2_000);
      balancer.set(instance.port, true);
    },
    database: async () => {
      await server.stop();
      await sleep(500);
      server = await startEmbedded(folder);
    },
    clock: () => moveClock(5 + Math.floor(chance() * 90)),
  };

  const going = new Set<Promise<void>>();
  const begin = (isOver: () => boolean) => {
    const kind = pick(['kill', 'kill', 'restart', 'stop', 'database', 'clock'] as const, chance());
    const free = all.filter(({ busy }) => !busy);
    const instance = free[Math.floor(chance() * free.length)];
    // One instance at least is left alone.
    if (instance === undefined || (kind !== 'clock' && kind !== 'database' && free.length < 2)) return;
    if (kind === 'stop' && isOver()) return;
    counts[kind]++;
    instance.busy = true;
    const work = kinds[kind](instance)
      .catch((error: unknown) => console.error(`${kind}: ${String(error)}`))
      .finally(() => {
        instance.busy = false;
        going.delete(work);
      });
    going.add(work);
  };

  return {
    running: () => all.map(({ process }) => process),
    run: async (isOver: () => boolean) => {
      while (!isOver()) {
        await sleep(pauseMs * (0.5 + chance()));
        begin(isOver);
      }
    },
    /** Everything is up again. */
    calm: async () => {
      await Promise.all(going);
    },
    restartOne: async () => {
      if (all[0]) await kinds.restart(all[0]);
    },
    figures: () => counts,
    inWords: () =>
      Object.entries(counts)
        .map(([kind, times]) => `${kind} ${times}`)
        .join(', '),
  };
};

const pick = <Kind>(kinds: readonly Kind[], at: number): Kind => kinds[Math.floor(at * kinds.length)] as Kind;

/** The same faults in the same order for the same seed, as far as processes allow. */
const randomFrom = (seed: string) => {
  let state = [...seed].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};
