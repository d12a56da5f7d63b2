import { expect, test } from 'vitest';
import { emitQuotes, fillQuotes, readQuotingPages } from '#scripts/emit-quotes';

const results = `# Results

## aims

| figure | what |
|--------|------|
| rest   | get  |

## rest

*now*

| server       | posts.get        |
|--------------|------------------|
| bare         | 1.00             |
| Posthorn     | 1.04 [0.92–1.19] |

| scheduled | what      | posts/s          |
|-----------|-----------|------------------|
| 1000      | bare loop | 2924 [2849–3077] |
| 1000      | Posthorn  | 1015 [1008–1083] |
`;
const fill = (page: string) => fillQuotes('docs/page.md', page, results);

test('a page quotes a figure by section, row and column, and the first table of a section', () => {
  expect(fill('<!-- result: rest / Posthorn / posts.get -->9<!-- /result -->')).toBe(
    '<!-- result: rest / Posthorn / posts.get -->1.04<!-- /result -->',
  );
  expect(fill('| <!-- result: rest / 1000, Posthorn / posts/s --><!-- /result --> | a |')).toBe(
    '| <!-- result: rest / 1000, Posthorn / posts/s -->1,015<!-- /result --> | a |',
  );
  const table = '| server | posts.get |\n|---|---|\n| bare | 1.00 |\n| Posthorn | 1.04 |';
  expect(fill('<!-- results: rest -->old<!-- /results -->')).toBe(
    `<!-- results: rest -->\n\n${table}\n\n<!-- /results -->`,
  );
});

test.each([
  ['what the results do not have', '<!-- result: rest / Posthorn / posts.put -->1<!-- /result -->'],
  ['a section that the results do not have', '<!-- results: publish --><!-- /results -->'],
  ['a mark that is not closed', '<!-- result: rest / Posthorn / posts.get -->1.04'],
])('the generator refuses a page with %s', (_, page) => {
  expect(() => fill(page)).toThrow(/^docs\/page\.md /);
});

test('every page quotes the figures of the results', async () => {
  const root = process.cwd();
  const pages = await readQuotingPages(root);
  expect(Object.keys(pages)).toEqual(expect.arrayContaining(['docs/developing.md', 'docs/scaling.md']));
  expect(await emitQuotes(root, pages)).toEqual(pages);
});
