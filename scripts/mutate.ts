// npm run mutate -- server/messaging/webhooks [--tests webhooks,plans] [--only comparison] [--max 50] [--seed 1]
// npm run mutate -- --patch rules.json        [{"file", "before", "after", "tests"?, "named"?}]
// Mutates one rule at a time in a copy of the tree, runs the tests near it, and names the mutants that no test catches.
// --trust skips the first run, which shows that all tests pass without a mutation.
import { execFileSync } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openTests } from './first-failure.ts';
import { findMutations, type Kind, kinds } from './mutations.ts';

interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly kind: Kind | 'patch';
  readonly before: string;
  readonly after: string;
  readonly source: string;
  readonly tests: readonly string[];
  /** Only tests whose name matches. */
  readonly named?: string | undefined;
}

interface Patch {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly tests?: string;
  readonly named?: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tests: { type: 'string' },
    only: { type: 'string' },
    patch: { type: 'string' },
    max: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    trust: { type: 'boolean', default: false },
  },
});
if (positionals.length === 0 && !values.patch)
  throw new Error('Name a folder or file, or --patch with a list of mutations.');
if (values.only && !kinds.includes(values.only as Kind)) throw new Error(`--only takes one of ${kinds.join(', ')}.`);

const root = resolve(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => statSync(join(root, file), { throwIfNoEntry: false })?.isFile());
const testFiles = files.filter((file) => file.endsWith('.test.ts') && !file.startsWith('test/browser/'));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const testsNamed = (names: string) =>
  names.split(',').map((name) => {
    const path = testFiles.find((file) => file === name || file.endsWith(`/${name}.test.ts`));
    if (path === undefined) throw new Error(`There is no test file ${name}.`);
    return path;
  });

/** Tests named after the file or its folder, and those that import from that folder. */
const nearTests = (file: string) => {
  const folder = file.slice(0, file.lastIndexOf('/'));
  const stems = [basename(file, '.ts'), basename(folder)].map((name) => name.replace(/s$/, ''));
  return testFiles.filter(
    (test) => stems.some((stem) => basename(test).startsWith(stem)) || read(test).includes(`'#${folder}/`),
  );
};

const lineOf = (source: string, place: number) => source.slice(0, place).split('\n').length;

const mutantsIn = (file: string): Mutant[] => {
  const source = read(file);
  const tests = values.tests ? testsNamed(values.tests) : nearTests(file);
  return findMutations(file, source)
    .filter(({ kind }) => !values.only || kind === values.only)
    .map(({ kind, start, end, after }) => ({
      file,
      line: lineOf(source, start),
      kind,
      before: source.slice(start, end),
      after,
      source: source.slice(0, start) + after + source.slice(end),
      tests,
    }));
};

const patches = (path: string): Mutant[] =>
  (JSON.parse(readFileSync(path, 'utf8')) as Patch[]).map(({ file, before, after, tests = values.tests, named }) => {
    const source = read(file);
    const place = source.indexOf(before);
    if (place < 0 || source.includes(before, place + 1))
      throw new Error(`${file} has to hold this exactly once: ${before}`);
    return {
      file,
      line: lineOf(source, place),
      kind: 'patch',
      before,
      after,
      source: source.slice(0, place) + after + source.slice(place + before.length),
      tests: tests ? testsNamed(tests) : nearTests(file),
      named,
    };
  });

/** The same seed selects the same mutants. */
const sample = (mutants: readonly Mutant[], max: number, seed: number) => {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  const selection = new Set(
    mutants
      .map((mutant) => ({ mutant, rank: random() }))
      .toSorted((a, b) => a.rank - b.rank)
      .slice(0, max)
      .map(({ mutant }) => mutant),
  );
  return mutants.filter((mutant) => selection.has(mutant));
};

const isUnder = (file: string) =>
  /\.tsx?$/.test(file) &&
  positionals.some((place) => file === place || file.startsWith(`${place.replace(/\/$/, '')}/`));
const candidates = values.patch ? patches(values.patch) : files.filter(isUnder).flatMap(mutantsIn);
const mutants = values.patch ? candidates : sample(candidates, Number(values.max), Number(values.seed));
const orphan = mutants.find(({ tests }) => tests.length === 0);
if (orphan) throw new Error(`No test is near ${orphan.file}. Name some with --tests.`);
if (mutants.length === 0) throw new Error('There is nothing to mutate here.');

const copy = realpathSync(mkdtempSync(join(tmpdir(), 'posthorn-mutate-')));
process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
const entries = readdirSync(root).filter((name) => name !== 'node_modules' && name !== '.git' && name !== '.posthorn');
// `cp -a` keeps file times to the nanosecond, so that dist/ is not rebuilt.
execFileSync('cp', ['-a', ...entries.map((name) => join(root, name)), copy]);
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
process.chdir(copy);

const runner = await openTests(copy, 2);

const write = (file: string, source: string) => {
  writeFileSync(join(copy, file), source);
  runner.invalidate(file);
};

const findCatcher = async ({ file, source, tests, named }: Mutant) => {
  write(file, source);
  try {
    return await runner.firstFailure(tests, named);
  } finally {
    write(file, read(file));
  }
};

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
const report = ({ file, line, kind, before, after }: Mutant, verdict: string) =>
  console.log(`${file}:${line} ${kind}: ${oneLine(before)} → ${oneLine(after) || '(gone)'}\n    ${verdict}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => runner.close().finally(() => process.exit(130)));

let survivors = 0;
try {
  const allTests = [...new Set(mutants.flatMap(({ tests }) => tests))];
  const broken = values.trust ? undefined : await runner.firstFailure(allTests);
  if (broken) throw new Error(`A test fails without a mutation. ${broken}`);
  for (const mutant of mutants) {
    const catcher = await findCatcher(mutant);
    if (catcher === undefined) survivors++;
    report(mutant, catcher === undefined ? `SURVIVED ${mutant.tests.join(', ')}` : `caught by ${oneLine(catcher)}`);
  }
  console.log(`${mutants.length} of ${candidates.length} mutants were tried, ${survivors} survived`);
} finally {
  await runner.close();
}
process.exitCode = survivors > 0 ? 1 : 0;
