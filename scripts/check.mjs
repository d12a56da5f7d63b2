// npm run check: runs these scripts of package.json, two at a time. Prints the output of those that fail, and their names,
// and the warnings of `results`.
import './node-version.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const concurrency = 2;
/** Longest first, so that no long step runs alone at the end. */
const steps = ['types:server', 'lint', 'types:web', 'generate --check', 'openapi', 'imports', 'results'];

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const PATH = [resolve('node_modules/.bin'), process.env.PATH].join(delimiter);

/** Like `npm run`, which would add half a second for each. */
const run = async (step) => {
  const [name, ...args] = step.split(' ');
  const command = [scripts[name], ...args].join(' ');
  const child = spawn(`(${command}) 2>&1`, {
    shell: true,
    env: { ...process.env, PATH },
    stdio: ['ignore', 'pipe', 2],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { step, output, isOk: code === 0 };
};

const left = [...steps];
const failures = new Set();
const work = async () => {
  for (let step = left.shift(); step; step = left.shift()) {
    const { output, isOk } = await run(step);
    if (isOk && step === 'results' && output !== '') console.error(output.trimEnd());
    if (isOk) continue;
    failures.add(step);
    console.error(`${step} failed:\n${output}`);
  }
};
await Promise.all(Array.from({ length: concurrency }, work));
const failed = steps.filter((step) => failures.has(step));
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}. To run one alone: npm run ${failed[0].replace(' ', ' -- ')}`);
  process.exit(1);
}
console.log(`Passed: ${steps.join(', ')}.`);
