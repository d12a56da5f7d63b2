import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openTests } from '#scripts/first-failure';
import { findMutations } from '#scripts/mutations';

/** The source once for each mutation. */
const mutantsOf = (source: string) =>
  findMutations('rule.ts', source).map(
    ({ kind, start, end, after }) => `${kind}: ${source.slice(0, start)}${after}${source.slice(end)}`,
  );

describe('npm run mutate changes', () => {
  test.each([
    ['comparisons', 'a < b;', ['comparison: a <= b;']],
    ['equality', 'a === b;', ['comparison: a !== b;']],
    [
      'numbers, small ones by one and large ones by far',
      'f = [3, 60_000];',
      ['number: f = [4, 60_000];', 'number: f = [3, 120000];'],
    ],
    ['and, or', 'a && b || c;', ['logic: a || b || c;', 'logic: a && b && c;']],
    ['negations', 'f = !a;', ['negation: f = a;']],
    ['conditions, both ways', 'if (a) b = c;', ['condition: if (false) b = c;', 'condition: if (true) b = c;']],
    ['roles and states', "f = 'owner';", ["word: f = 'admin';"]],
    [
      'entries of lists and objects',
      'f = [a, { b }];',
      ['entry: f = [ { b }];', 'entry: f = [a, ];', 'entry: f = [a, {  }];'],
    ],
    ['calls that stand alone', 'await f(a);', ['call: ;']],
    [
      'conditions in SQL, without losing a parameter',
      "sql('a', 'select b where c <= $1 and d is null limit 50');",
      [
        "sql: sql('a', 'select b where c < $1 and d is null limit 50');",
        "sql: sql('a', 'select b where (c <= $1 or true) and d is null limit 50');",
        "sql: sql('a', 'select b where c <= $1 and d is not null limit 50');",
        "sql: sql('a', 'select b where c <= $1 and d is null limit 100');",
      ],
    ],
  ])('%s', (_what, source, mutants) => {
    expect(mutantsOf(source)).toEqual(expect.arrayContaining(mutants));
  });

  test('no imports, types, comments or words of messages', () => {
    const source = `
      import { a } from './1.ts';
      type Role = 'owner' | 1;
      const b: Record<'Draft', 3> | undefined = undefined as 'Draft' extends infer _ ? undefined : 2;
      // 5 < 6
      const c = 'more than 10 owners && no 5 < 6';
    `;
    expect(mutantsOf(source)).toEqual([]);
  });
});

/** Two test files, which run in the order of their names. */
const openSums = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-sums-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const write = (file: string, source: string) => writeFileSync(join(folder, file), source);
  write('package.json', '{ "type": "module" }');
  write(
    'vitest.config.ts',
    `
    import { BaseSequencer } from 'vitest/node';
    const byName = (a, b) => a.moduleId.localeCompare(b.moduleId);
    class ByName extends BaseSequencer { sort = async (files) => files.toSorted(byName); }
    export default { test: { include: ['*.test.ts'], cache: false, sequence: { sequencer: ByName } } };`,
  );
  for (const name of ['apples', 'pears'])
    write(
      `${name}.test.ts`,
      `
      import { expect, test } from 'vitest';
      import * as rules from './rules.ts';
      test('${name} are counted', () => expect(rules.${name}).toBe(2));`,
    );
  // The nested Vitest marks this process as failed.
  onTestFinished(() => {
    process.exitCode = undefined;
  });
  const runner = await openTests(folder, 1);
  onTestFinished(() => runner.close());
  return {
    ...runner,
    setRules: (rules: Readonly<Record<'apples' | 'pears', number>>) => {
      write('rules.ts', `export const { apples, pears } = ${JSON.stringify(rules)};`);
      runner.invalidate('rules.ts');
    },
  };
};

describe('npm run mutate', () => {
  test('names the test that caught the mutant, and none of an earlier run', async () => {
    const { setRules, firstFailure } = await openSums();
    setRules({ apples: 2, pears: 3 });
    expect(await firstFailure(['pears.test.ts'])).toBe('pears.test.ts: pears are counted');
    setRules({ apples: 3, pears: 2 });
    expect(await firstFailure(['apples.test.ts', 'pears.test.ts'])).toBe('apples.test.ts: apples are counted');
    setRules({ apples: 2, pears: 2 });
    expect(await firstFailure(['apples.test.ts', 'pears.test.ts'])).toBeUndefined();
  });

  test('calls nothing a survivor when no test has the name that was asked for', async () => {
    const { setRules, firstFailure } = await openSums();
    setRules({ apples: 2, pears: 2 });
    await expect(firstFailure(['pears.test.ts'], 'plums')).rejects.toThrow('Is one named plums?');
  });
});
