// npm run bench [-- rest | peers | validate | mcp | publish | webhooks | analytics | web] [--rounds N] [--seconds N] [--other <cli.js>] [--blink]
// Plain JavaScript: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const figures = ['rest', 'peers', 'validate', 'mcp', 'publish', 'webhooks', 'analytics', 'web'];

const here = import.meta.dirname;
const changedMs = (path) => statSync(resolve(here, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

const install = () => {
  // npm writes this file at the end of each install.
  if (changedMs('package-lock.json') <= changedMs('node_modules/.package-lock.json')) return;
  console.error('Installing the packages of bench/ (npm ci) …');
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const [command, ...args] = [...npm, 'ci', '--no-audit', '--no-fund', '--loglevel=error'];
  // Under `npm run` npm's own variables would point the install at the service's folder.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_config_local_prefix|npm_package_.*|INIT_CWD)$/.test(name)),
  );
  const { status, error } = spawnSync(command, args, { cwd: here, env, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    console.error(error?.message ?? 'npm ci failed: see above.');
    process.exit(1);
  }
};

const positive = (name, text) => {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (value > 0) return value;
  console.error(`--${name} takes a number above 0.`);
  process.exit(2);
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    other: { type: 'string', multiple: true },
    blink: { type: 'boolean' },
  },
});
const unknown = positionals.find((name) => !figures.includes(name));
if (unknown !== undefined) {
  console.error(`There is no figure ${unknown}. Choose from ${figures.join(', ')}.`);
  process.exit(2);
}
const options = {
  // As little as shows that it still works.
  blink: values.blink === true,
  rounds: positive('rounds', values.rounds) ?? (values.blink ? 1 : undefined),
  seconds: positive('seconds', values.seconds),
  others: (values.other ?? []).map((path) => resolve(process.env.INIT_CWD ?? '.', path)),
};

await import('../scripts/install.mjs');
install();
await import('../scripts/build.mjs');
for (const name of positionals.length > 0 ? positionals : figures) {
  const { measure } = await import(`./${name}/measure.mjs`);
  await measure(options);
}
