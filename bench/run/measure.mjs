// The footprint of Posthorn: CPU of its commands, start-up time, idle memory, and size on disk.
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { atPlace } from '../place.mjs';
import { cpuSeconds, startService, stopPid, treeCpuSeconds } from '../processes.mjs';
import { median, ratio, say, spread, table } from '../table.mjs';
import { coldStarts } from './cold.mjs';
import { measureCommands } from './commands.mjs';
import { megabytesOf, postmasterIn, startEmptyNode, withChildren } from './memory.mjs';
import { sizesOf } from './size.mjs';

const root = resolve(import.meta.dirname, '../..');
const launcher = resolve(root, 'scripts/posthorn.mjs');
const restMs = 30_000;
/** Long enough for what recurs every few seconds to take part. */
const idleMs = 60_000;

export const measure = ({ rounds = 7, blink, imageMb }) =>
  atPlace({ blink }, async (place) => {
    // With --blink the place is already set up, so use another one.
    const commands = await measureCommands(place, launcher, rounds, blink ? await place.apart() : place);
    const starts = await (blink
      ? warmStarts(place, place.folder, { starts: 1, restMs: 0, idleMs: 0 })
      : warmStarts(place, await usedFolder(place), { starts: 5, restMs, idleMs }));
    const cold = blink ? [] : await coldStarts(root, place.folder);
    const { memory, idle } = starts.at(-1);
    return {
      text: report({ rounds, commands, starts, cold, memory, idle, sizes: sizesOf(root, imageMb) }),
      values: {
        ...Object.fromEntries(
          Object.entries(commands.cpu).map(([name, seconds]) => [name, median(timesNode(seconds, commands.node))]),
        ),
        ...(memory && { 'idle memory': memory.all }),
        ...(idle && { 'idle CPU': idle.all }),
      },
    };
  });

const asInstalled = (settings, POSTHORN_DATA) => ({
  ...settings,
  POSTHORN_DATA,
  DATABASE_POOL: '',
  // Otherwise the service would catch up on last night's backup while it should be idle.
  BACKUP_AT: 'off',
  REQUESTS_PER_MINUTE: '',
});

const usedFolder = async ({ folder, settings }) => {
  const data = join(folder, 'started');
  const { pid } = await startService(launcher, asInstalled(settings, data), join(folder, 'started-first.log'));
  await stopPid(pid);
  return data;
};

/** On a data folder that has been used before, as an operator starts it again. The last one then rests. */
const warmStarts = async ({ folder, settings }, data, { starts, restMs, idleMs }) => {
  const env = asInstalled(settings, data);
  const seen = [];
  for (let start = 1; start <= starts; start++) {
    say(`start ${start} of ${starts} …`);
    const begun = performance.now();
    const { pid } = await startService(launcher, env, join(folder, `started-${start}.log`));
    const seconds = (performance.now() - begun) / 1000;
    const cpu = cpuSeconds(pid);
    const isLast = start === starts;
    if (isLast) await sleep(restMs);
    const atRest = isLast && { memory: await restingMemory(pid, data), idle: await idleCpu(pid, data, idleMs) };
    seen.push({ seconds, cpu, ...atRest });
    await stopPid(pid);
  }
  return seen;
};

/** Proportional set sizes in MB; undefined where /proc does not tell. */
const restingMemory = async (pid, data) => {
  const empty = await startEmptyNode();
  try {
    const node = megabytesOf([empty.pid]);
    if (node === undefined) return undefined;
    const postgres = withChildren([postmasterIn(data)]);
    // PostgreSQL is a child of the service too, so take it out.
    const own = withChildren([pid]).filter((one) => !postgres.includes(one));
    const [service, database] = [own, postgres].map(megabytesOf);
    return { node, service, database, processes: [own.length, postgres.length], all: service + database };
  } finally {
    await stopPid(empty.pid);
  }
};

/** In percent of a core; undefined where /proc does not tell. */
const idleCpu = async (pid, data, ms) => {
  const secondsNow = () => {
    const postgres = withChildren([postmasterIn(data)]);
    const own = withChildren([pid]).filter((one) => !postgres.includes(one));
    return [own, postgres].map(treeCpuSeconds);
  };
  const before = secondsNow();
  const begunMs = performance.now();
  await sleep(ms);
  const elapsedS = (performance.now() - begunMs) / 1000;
  const [service, database] = secondsNow().map((seconds, group) => (100 * (seconds - before[group])) / elapsedS);
  return Number.isFinite(service + database) ? { service, database, all: service + database } : undefined;
};

const timesNode = (seconds, node) => seconds.map((each, round) => each / node[round]);

const report = ({ rounds, commands: { node, cpu }, starts, cold, memory, idle, sizes }) => {
  const inSeconds = (values) => {
    const { low, middle, high } = spread(values);
    return `${middle.toFixed(2)} [${low.toFixed(2)}–${high.toFixed(2)}]`;
  };
  const times = (values) => ratio(timesNode(values, node));
  const MB = (value) => `${value.toFixed(0)} MB`;
  return [
    '## run',
    '',
    `CPU seconds of a command through the launcher, beside a service that runs, and as a multiple of a bare start of Node in`,
    `the same round; lower is better. Median [quartiles] of ${rounds} rounds in random order; setup runs once.`,
    '',
    table(
      ['command', 'CPU, s', 'to node -e 0'],
      [
        ['node -e 0', inSeconds(node), '1.00'],
        ...Object.entries(cpu).map(([name, values]) => [`posthorn ${name}`, inSeconds(values), times(values)]),
      ],
    ),
    '',
    'Start-up until it is ready, with the embedded PostgreSQL; CPU is that of the service process. Warm: built, on a data folder',
    'used before. Cold: a copy of the committed files that was never built, on an empty folder.',
    '',
    table(
      ['start', 'seconds', 'CPU, s'],
      [
        ['warm', ...[({ seconds }) => seconds, ({ cpu }) => cpu].map((of) => inSeconds(starts.map(of)))],
        ...cold.map(({ name, seconds, cpu }) => [name, seconds, cpu]),
      ],
    ),
    '',
    ...(memory
      ? [
          `Memory at rest, ${restMs / 1000} s after a warm start that nobody asked anything (proportional set size):`,
          '',
          table(
            ['process', 'memory'],
            [
              ['an empty Node process', MB(memory.node)],
              [`service, processes: ${memory.processes[0]}`, MB(memory.service)],
              [`embedded PostgreSQL, processes: ${memory.processes[1]}`, MB(memory.database)],
              ['service and PostgreSQL', MB(memory.all)],
            ],
          ),
          '',
        ]
      : []),
    ...(idle
      ? [
          `CPU at rest, over the next ${idleMs / 1000} s, in percent of a core: service ${idle.service.toFixed(2)}, PostgreSQL ${idle.database.toFixed(2)}, together ${idle.all.toFixed(2)}.`,
          '',
        ]
      : []),
    'On disk:',
    '',
    table(
      ['what', 'size'],
      sizes.map(([name, value]) => [name, typeof value === 'number' ? MB(value) : value]),
    ),
    '',
  ].join('\n');
};
