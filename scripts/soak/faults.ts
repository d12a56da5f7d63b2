import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { DatabaseClock, WorldClock } from './clocks.ts';
import { type ConnectionFault, connectionFaults, type DatabaseProxy, fewestConnections } from './database-proxy.ts';
import type { Instance, Instances } from './instances.ts';
import { type NetworkProxy, type WayFault, wayFaults } from './network-proxy.ts';
import type { Random, Streams } from './random.ts';
import { type Twins, twinFaults } from './twins.ts';

/** Relative frequencies. Starting a process costs a second of CPU, so process faults are rare. */
const defaultWeights = {
  'network late': 4,
  'network lost': 4,
  'network reset-before': 2,
  'network reset-after': 3,
  'network cut-answer': 3,
  'network error-after': 3,
  'network bad-gateway': 1,
  'network hang': 1,
  'network slow': 4,
  'network 429': 2,
  'network 429-bare': 1,
  'network 503': 2,
  'network expired-token': 1,
  'network content-refused': 0.3,
  'database cut': 18,
  'database answer-lost': 16,
  'database silent': 4,
  'database half-closed': 8,
  'database slow': 6,
  'database restart': 0.4,
  'backend terminated': 7,
  'backend stopped': 2,
  'backend killed': 0.2,
  'process kill': 1.2,
  'process stop': 1,
  'process restart': 0.6,
  'clock process': 2,
  'clock database': 1.5,
  'clock forward': 0.8,
} as const;
export type FaultKind = keyof typeof defaultWeights;
export type FaultWeights = Readonly<Partial<Record<FaultKind, number>>>;
export const faultKinds = Object.keys(defaultWeights) as FaultKind[];

/** The default weights of these kinds only. */
export const weightsOf = (kinds: readonly FaultKind[]): FaultWeights =>
  Object.fromEntries(kinds.map((kind) => [kind, defaultWeights[kind]]));

/** Skews from the start of the run, until a clock step changes them. */
const processSkewsMs = [0, 0, 1_500, -1_500, 45_000, -45_000, 90_000, -90_000];
const databaseSkewsMs = [0, 0, 2_000, -30_000, 90_000, 300_000];
const longestStopMs = 120_000;
/** Network faults are bounded by arrivals: on a slow machine fewer posts go out, and the planned rate would hit every second one. */
const networkFaultBudget = { initial: 20, perArrival: 0.3 };

export type Faults = Awaited<ReturnType<typeof createFaults>>;

/** Everything that can go wrong, at a steady rate. The same seed gives the same faults in the same order. */
export const createFaults = async ({
  streams,
  weights,
  holdMs,
  networkProxy,
  twins,
  databaseProxy,
  db,
  clock,
  databaseClock,
  instances,
  restartDatabase,
}: {
  streams: Streams;
  weights: FaultWeights;
  /** How long each network may hold a request before it acts. */
  holdMs: ReadonlyMap<string, number>;
  networkProxy: NetworkProxy;
  twins: Twins;
  databaseProxy: DatabaseProxy;
  /** Connects directly to PostgreSQL, not through the proxy. */
  db: pg.Pool;
  clock: WorldClock;
  databaseClock: DatabaseClock;
  instances: Instances;
  restartDatabase: (inBetween: () => Promise<unknown>) => Promise<void>;
}) => {
  const counts = new Map<FaultKind, number>();
  const timeline: string[] = [];
  const count = (kind: FaultKind, detail = '') => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    // The other kinds are too frequent to be useful in a timeline.
    if (!/^(network|database (?!restart)|backend (?!killed))/.test(kind)) {
      timeline.push(`${clock.now().toISOString().slice(11, 23)} ${kind} ${detail}`.trim());
    }
  };
  const running = new Set<Promise<unknown>>();
  const stoppedBackends = new Set<number>();
  let isDatabaseBusy = false;
  const storm = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { signal: storm.signal }).catch(() => undefined);

  /** Runs in the background; `calm` waits for it. */
  const begin = (work: () => Promise<unknown>) => {
    const task: Promise<unknown> = work()
      .catch((error: unknown) => process.stderr.write(`fault: ${String(error)}\n`))
      .finally(() => running.delete(task));
    running.add(task);
    return true;
  };

  const armNetwork = (kind: FaultKind, fault: WayFault, random: Random) => {
    const share = random.next();
    const isForPublishing = random.chance(0.8);
    const hit = () => count(kind);
    return random.shuffle([...holdMs]).some(([network, mostMs]) => {
      // A late network acts within its hold time.
      const [leastMs, longestMs] = fault === 'late' ? [6_000, mostMs] : [1_000, 4_000];
      const forMs = leastMs + share * (longestMs - leastMs);
      return networkProxy.arm(network, { fault, isForPublishing, forMs, hit });
    });
  };

  const planRefusal = async (kind: FaultKind, fault: (typeof twinFaults)[number], random: Random) => {
    for (const network of random.shuffle([...holdMs.keys()])) {
      if (await twins.planRefusal(network, fault)) {
        count(kind);
        return;
      }
    }
  };

  const breakConnection = (kind: FaultKind, fault: ConnectionFault, random: Random) => {
    if (!databaseProxy.inject(fault, random.between(500, 25_000), random)) return false;
    count(kind);
    return true;
  };

  const withBackend = (kind: FaultKind, random: Random, work: (pid: number) => Promise<unknown>) => {
    if (isDatabaseBusy) return false;
    return begin(async () => {
      const { rows } = await db
        .query<{ pid: number }>(
          `select pid from pg_stat_activity where backend_type = 'client backend'
            and application_name not in ('soak', 'posthorn embedded')`,
        )
        // A starting server has no backends.
        .catch(() => ({ rows: [] }));
      const pids = rows.map(({ pid }) => pid).filter((pid) => !stoppedBackends.has(pid));
      if (pids.length < fewestConnections) return;
      count(kind);
      await work(random.pick(pids));
    });
  };

  const signalBackend = (pid: number, signal: NodeJS.Signals) => {
    try {
      process.kill(pid, signal);
    } catch {
      // The backend has ended.
    }
  };
  const stopBackend = async (pid: number, forMs: number) => {
    stoppedBackends.add(pid);
    signalBackend(pid, 'SIGSTOP');
    await pause(forMs);
    stoppedBackends.delete(pid);
    signalBackend(pid, 'SIGCONT');
  };
  const continueBackends = () => {
    for (const pid of stoppedBackends) signalBackend(pid, 'SIGCONT');
  };

  /** One at a time, so that a starting server is not stopped again. */
  const onDatabase = (kind: FaultKind, work: () => Promise<unknown>) => {
    if (isDatabaseBusy) return false;
    isDatabaseBusy = true;
    count(kind);
    return begin(() =>
      work().finally(() => {
        isDatabaseBusy = false;
      }),
    );
  };

  const onProcess = (kind: FaultKind, random: Random, work: (instance: Instance) => Promise<unknown>) => {
    const victims = instances.expendable();
    if (victims.length === 0) return false;
    const victim = random.pick(victims);
    count(kind, victim.role);
    return begin(() => work(victim));
  };

  /** How long a process is stopped: mostly briefly, as in real life. */
  const stopMs = (random: Random) =>
    random.between(300, random.weighted({ '4000': 70, '30000': 20, [String(longestStopMs)]: 10 }) as unknown as number);

  const hasEnoughNetworkFaults = () => {
    const hits = [...counts].reduce((sum, [kind, times]) => sum + (kind.startsWith('network ') ? times : 0), 0);
    return hits > networkFaultBudget.initial + networkFaultBudget.perArrival * twins.arrivals.length;
  };

  const inject = (kind: FaultKind, random: Random): boolean => {
    const [group = '', name = ''] = kind.split(' ');
    if (group === 'network') {
      if (hasEnoughNetworkFaults()) return false;
      if (isOneOf(Object.keys(wayFaults) as WayFault[], name)) return armNetwork(kind, name, random);
      if (isOneOf(twinFaults, name)) return begin(() => planRefusal(kind, name, random));
    }
    if (group === 'database' && isOneOf(Object.keys(connectionFaults) as ConnectionFault[], name)) {
      return breakConnection(kind, name, random);
    }
    switch (kind) {
      case 'database restart':
        return onDatabase(kind, async () => {
          continueBackends();
          await restartDatabase(() => pause(random.between(100, 1_500)));
        });
      case 'backend terminated':
        return withBackend(kind, random, (pid) => db.query('select pg_terminate_backend($1)', [pid]));
      case 'backend stopped':
        return withBackend(kind, random, (pid) => stopBackend(pid, random.between(300, 8_000)));
      case 'backend killed':
        return withBackend(kind, random, async (pid) => signalBackend(pid, 'SIGKILL'));
      case 'process kill':
        return onProcess(kind, random, instances.kill);
      case 'process restart':
        return onProcess(kind, random, instances.restart);
      case 'process stop':
        return onProcess(kind, random, (instance) => instances.stop(instance, pause(stopMs(random))));
      case 'clock process': {
        const [instance, skewS] = [random.pick(instances.all), random.between(-120, 120)];
        count(kind, `${instance.role} to ${skewS} s`);
        instances.setClock(instance, skewS * 1_000);
        return true;
      }
      case 'clock database': {
        const skewS = random.between(-300, 600);
        count(kind, `to ${skewS} s`);
        return begin(() => databaseClock.step(skewS * 1_000));
      }
      case 'clock forward': {
        const byS = random.between(5, 90);
        count(kind, `by ${byS} s`);
        return begin(() => databaseClock.forwardAll(byS * 1_000));
      }
      default:
        throw new Error(`There is no fault ${kind}.`);
    }
  };

  return {
    /** Sets the initial skew of all clocks. */
    skewClocks: async () => {
      const random = streams('skew');
      if (weights['clock process']) {
        for (const instance of instances.all) instances.setClock(instance, random.pick(processSkewsMs));
      }
      if (weights['clock database']) await databaseClock.step(random.pick(databaseSkewsMs));
      return {
        database: databaseClock.skewMs(),
        ...Object.fromEntries(instances.all.map(({ role, skewMs }) => [role, skewMs])),
      };
    },

    run: async (perMinute: number, isOver: () => boolean) => {
      if (perMinute === 0) return;
      const startedMs = performance.now();
      for (let number = 1; !isOver(); number++) {
        const random = streams(`fault ${number}`);
        const atMs = startedMs + ((number - 0.5 + random.next()) * 60_000) / perMinute;
        await sleep(Math.max(0, atMs - performance.now()));
        // If there is nothing to break for this kind now, try another.
        for (let attempt = 0; attempt < 5 && !isOver(); attempt++)
          if (inject(random.weighted(weights as Record<FaultKind, number>), random)) break;
      }
    },

    /** Ends all faults: everything is up and connected again, and all clocks agree. */
    calm: async () => {
      storm.abort();
      networkProxy.disarm();
      await twins.clearRefusals();
      databaseProxy.calm();
      continueBackends();
      await Promise.all(running);
      timeline.push(`${clock.now().toISOString().slice(11, 23)} all clocks are right`);
      for (const instance of instances.all) if (instance.skewMs !== 0) instances.setClock(instance, 0);
      if (databaseClock.skewMs() !== 0) await databaseClock.step(0);
    },

    counts: (): Readonly<Record<string, number>> => Object.fromEntries([...counts].sort()),
    /** Faults of processes and clocks, and restarts, by the world clock. */
    timeline: timeline as readonly string[],
    total: () => [...counts.values()].reduce((sum, times) => sum + times, 0),
  };
};

const isOneOf = <Name extends string>(names: readonly Name[], name: string): name is Name =>
  (names as readonly string[]).includes(name);
