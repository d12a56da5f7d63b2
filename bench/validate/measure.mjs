// Checking alone, without network and database: the input schemas and the limits of the networks.
import assert from 'node:assert/strict';
import { importCompiled } from '../compiled.mjs';
import { ratio, shuffled, table } from '../table.mjs';
import { cpuMs } from './cpu-ms.mjs';

const batchMs = 20;

export const measure = async ({ rounds = 60 }) => {
  const { subjects } = await importCompiled('bench/validate/subjects.mjs');
  const rows = [];
  for (const { name, ways, timed = timeCalls } of subjects) {
    await checkAlike(name, Object.values(ways));
    rows.push(...(await compare(name, Object.entries(ways), { rounds, timed })));
  }
  const text = [
    '## validate',
    '',
    '1.00 is the check by hand of the same input; higher is faster. Median [quartiles] of the ratios within each round.',
    `${rounds} rounds, ${batchMs} ms of CPU a batch in random order, after warm-up, in one process. Node ${process.version}.`,
    '',
    table(['what', 'how', 'ratio'], rows),
    '',
  ].join('\n');
  return { text, values: {} };
};

/** All ways accept the input and, where they answer with it, fill in the same defaults. */
const checkAlike = async (name, [first, ...others]) => {
  const expected = await first();
  if (Array.isArray(expected)) {
    assert.deepEqual(expected, [], name);
    // The others also return a warning about TikTok's declaration, so compare only the issues.
    for (const other of others) assert.deepEqual((await other()).issues, [], name);
  } else {
    for (const other of others) assert.deepEqual(await other(), expected, name);
  }
};

const compare = async (name, ways, { rounds, timed }) => {
  const size = new Map();
  for (const [how, work] of ways) size.set(how, await batchSize(work, timed));
  const ratios = new Map(ways.map(([how]) => [how, []]));
  for (let round = 0; round < rounds; round++) {
    const took = new Map();
    for (const [how, work] of shuffled(ways)) took.set(how, (await timed(work, size.get(how))) / size.get(how));
    const base = took.get(ways[0][0]);
    for (const [how, each] of took) ratios.get(how).push(base / each);
  }
  return ways.map(([how], i) => [name, how, i === 0 ? '1.00' : ratio(ratios.get(how))]);
};

/** How many calls fill a batch. Finding that out also warms up the code. */
const batchSize = async (work, timed) => {
  let calls = 1;
  let took = await timed(work, calls);
  while (took < batchMs) {
    calls *= 2;
    took = await timed(work, calls);
  }
  return Math.max(1, Math.round((calls * batchMs) / took));
};

let kept;

const timeCalls = (work, calls) => {
  const begun = process.cpuUsage();
  // Keeping the answer keeps the compiler from leaving out the work.
  for (let i = 0; i < calls; i++) kept = work();
  return cpuMs(begun);
};

export const lastAnswer = () => kept;
