import { describe, expect, test } from 'vitest';
import { findMutations } from '#scripts/mutations';

/** The source once for each way to bend it. */
const bentWays = (source: string) =>
  findMutations('rule.ts', source).map(
    ({ kind, start, end, after }) => `${kind}: ${source.slice(0, start)}${after}${source.slice(end)}`,
  );

describe('npm run mutate bends', () => {
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
  ])('%s', (_what, source, bends) => {
    const found = bentWays(source);
    expect(found.filter((bend) => bends.includes(bend)).toSorted()).toEqual(bends.toSorted());
  });

  test('no imports, types, comments or words of messages', () => {
    const source = `
      import { a } from './1.ts';
      type Role = 'owner' | 1;
      const b: Record<'Draft', 3> | undefined = undefined as 'Draft' extends infer _ ? undefined : 2;
      // 5 < 6
      const c = 'more than 10 owners && no 5 < 6';
    `;
    expect(bentWays(source)).toEqual([]);
  });
});
