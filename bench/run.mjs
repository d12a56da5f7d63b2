// npm run bench [-- <figure> …] [--rounds N] [--seconds N] [--other <cli.js>] [--blink] [--results <file>]
// npm run bench -- guard [--save]: compares with the section guard, or replaces it, as a run of all figures does.
// analytics also accepts [--targets N], capacity [--full] [--posts N] [--workspaces N] [--deliveries N],
// run [--image-mb N] and agent-tokens [--before].
// Updates its sections in RESULTS.md or in another file; with --blink only in another file.
// Plain JavaScript: it runs before anything is installed.
import '../scripts/node-version.mjs';
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { installTools } from '../scripts/install-tools.mjs';
import { commitOf } from './measured-commit.mjs';

const figures = [
  'rest',
  'peers',
  'mcp',
  'validate',
  'publish',
  'webhooks',
  'analytics',
  'forecast',
  'pages',
  'run',
  'web',
  'agent-tokens',
  'capacity',
  'guard',
];

const here = import.meta.dirname;

const positive = (name, text) => {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (value > 0) return value;
  console.error(`--${name} takes a number above 0.`);
  process.exit(2);
};

/** `npm run` changes the folder. */
const given = (path) => resolve(process.env.INIT_CWD ?? '.', path);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    other: { type: 'string', multiple: true },
    targets: { type: 'string' },
    full: { type: 'boolean' },
    posts: { type: 'string' },
    workspaces: { type: 'string' },
    deliveries: { type: 'string' },
    blink: { type: 'boolean' },
    before: { type: 'boolean' },
    save: { type: 'boolean' },
    results: { type: 'string' },
    'image-mb': { type: 'string' },
  },
});
const unknown = positionals.find((name) => !figures.includes(name));
if (unknown !== undefined) {
  console.error(`There is no figure ${unknown}. Choose from ${figures.join(', ')}.`);
  process.exit(2);
}
const options = {
  // As little work as it takes to show that everything still runs.
  blink: values.blink === true,
  rounds: positive('rounds', values.rounds) ?? (values.blink ? 1 : undefined),
  seconds: positive('seconds', values.seconds),
  targets: positive('targets', values.targets),
  full: values.full === true,
  posts: positive('posts', values.posts),
  workspaces: positive('workspaces', values.workspaces),
  deliveries: positive('deliveries', values.deliveries),
  imageMb: positive('image-mb', values['image-mb']),
  before: values.before === true,
  others: (values.other ?? []).map(given),
};
const results = values.results ? given(values.results) : values.blink ? undefined : resolve(here, 'RESULTS.md');

await import('../scripts/install.mjs');
installTools({ everything: false });
const { beginMeasuring, readRows, writeResult } = await import('./results.mjs');
const { readReference } = await import('./guard/compare.mjs');
const isCompared = positionals.includes('guard') && !values.save && !values.blink;
const reference = isCompared ? readReference(readRows(results, 'guard')) : undefined;
if (reference?.size === 0) {
  console.error(`${results} has no section guard to compare with. Make one: npm run bench -- guard --save`);
  process.exit(2);
}
// Before the build, which is what is measured: somebody may commit meanwhile.
const commit = commitOf(resolve(here, '..'));
for (const script of ['build.mjs', 'build-web.mjs']) {
  execFileSync(process.execPath, [resolve(here, '../scripts', script)], { stdio: ['ignore', 2, 2] });
}
const { closeShared } = await import('./place.mjs');
try {
  for (const name of positionals.length > 0 ? positionals : figures) {
    const { measure } = await import(`./${name}/measure.mjs`);
    const measured = beginMeasuring(commit);
    const result = await measure({ ...options, reference });
    console.log(result.text);
    if (result.worse?.length > 0) process.exitCode = 1;
    if (results && result.worse === undefined) writeResult(results, figures, name, result, measured());
  }
} finally {
  await closeShared();
}
