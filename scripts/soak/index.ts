// npm run soak -- [--minutes 15] [--faults-per-minute 400] [--posts-per-minute 150] [--seed 1] [--only network,clock]
//                 [--floor 0.8] [--json file]
// npm run soak -- --add one.json --add other.json
// Docs: docs/developing.md, "The soak".
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { faultKinds, weightsOf } from './faults.ts';
import { addSummaries, formatSummary, type Summary } from './report.ts';
import { runSoak } from './run.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '15' },
    'faults-per-minute': { type: 'string', default: '400' },
    'posts-per-minute': { type: 'string', default: '150' },
    seed: { type: 'string', default: String(process.pid) },
    only: { type: 'string' },
    floor: { type: 'string', default: '0.8' },
    json: { type: 'string' },
    add: { type: 'string', multiple: true },
  },
});

const numberOf = (name: 'minutes' | 'faults-per-minute' | 'posts-per-minute' | 'floor', least: number) => {
  const number = Number(values[name]);
  if (!(number >= least)) throw new Error(`--${name} takes a number from ${least} on.`);
  return number;
};

/** Groups such as `database`, or kinds such as `network-late`. */
const chosenKinds = () => {
  const names = values.only?.split(',') ?? [];
  const isNamed = (kind: string) =>
    names.some((name) => kind === name.replace('-', ' ') || kind.startsWith(`${name} `));
  const kinds = values.only === undefined ? faultKinds : faultKinds.filter(isNamed);
  if (kinds.length === 0)
    throw new Error(`--only takes some of ${faultKinds.map((kind) => kind.replace(' ', '-')).join(', ')}.`);
  return kinds;
};

const summary: Summary = values.add
  ? addSummaries(values.add.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Summary))
  : await runSoak({
      minutes: numberOf('minutes', 0.1),
      faultsPerMinute: numberOf('faults-per-minute', 0),
      postsPerMinute: numberOf('posts-per-minute', 1),
      floor: numberOf('floor', 0),
      seed: values.seed,
      weights: weightsOf(chosenKinds()),
      say: (text) => process.stderr.write(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${text}\n`),
    });
if (values.json) writeFileSync(values.json, JSON.stringify(summary, null, 2));
console.log(formatSummary(summary));
process.exit(summary.problems.length > 0 ? 1 : 0);
