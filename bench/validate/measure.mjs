// Checking alone, without network and database: the input schemas.
import assert from 'node:assert/strict';
import { importCompiled } from '../compiled.mjs';
import { ratio, shuffled, table } from '../table.mjs';

const batchMs = 20;

export const measure = async ({ rounds = 60 }) => {
  const { subjects } = await importCompiled('bench/validate/subjects.mjs');
  for (const { name, ways } of subjects) checkAlike(name, Object.values(ways));
  const rows = subjects.flatMap(({ name, ways }) => compare(name, Object.entries(ways), rounds));
  console.log(
    [
      '## validate',
      '',
      '1.00 is the check by hand of the same input; higher is faster. Median [quartiles] of the ratios within each round.',
      `${rounds} rounds, ${batchMs} ms a batch in random order, after warm-up, in one process. Node ${process.version}.`,
      '',
      table(['what', 'how', 'ratio'], rows),
      '',
    ].join('\n'),
  );
};

/** All ways accept the input and, where they answer with it, fill in the same defaults. */
const checkAlike = (name, [first, ...others]) => {
  const expected = first();
  if (Array.isArray(expected)) {
    assert.deepEqual(expected, [], name);
    for (const other of others) assert.deepEqual(other(), { issues: [], warnings: [] }, name);
  } else {
    for (const other of others) assert.deepEqual(other(), expected, name);
  }
};

const compare = (name, ways, rounds) => {
  const size = new Map(ways.map(([how, work]) => [how, batchSize(work)]));
  const ratios = new Map(ways.map(([how]) => [how, []]));
  for (let round = 0; round < rounds; round++) {
    const took = new Map();
    for (const [how, work] of shuffled(ways)) took.set(how, time(work, size.get(how)) / size.get(how));
    const base = took.get(ways[0][0]);
    for (const [how, each] of took) ratios.get(how).push(base / each);
  }
  return ways.map(([how], i) => [name, how, i === 0 ? '1.00' : ratio(ratios.get(how))]);
};

/** How many calls fill a batch; finding out is the warm-up. */
const batchSize = (work) => {
  let calls = 1;
  let took = time(work, calls);
  while (took < batchMs) {
    calls *= 2;
    took = time(work, calls);
  }
  return Math.max(1, Math.round((calls * batchMs) / took));
};

let kept;

const time = (work, calls) => {
  const begun = performance.now();
  // Keeping the answer keeps the compiler from leaving out the work.
  for (let i = 0; i < calls; i++) kept = work();
  return performance.now() - begun;
};

export const lastAnswer = () => kept;
