import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkImports, readLinks } from '#scripts/check-imports';

const root = resolve(import.meta.dirname, '../..');

let tree: string;

beforeEach(async () => {
  tree = await mkdtemp(join(tmpdir(), 'posthorn-imports-'));
});

afterEach(() => rm(tree, { recursive: true }));

const plant = async (files: Record<string, string>) => {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(tree, file)), { recursive: true });
    await writeFile(join(tree, file), text);
  }
};

test('the tree keeps every import rule', async () => {
  expect(await checkImports(root)).toEqual([]);
});

test('a change of any module that the app bundles builds the app again', async () => {
  const links = (await readLinks(root)).filter(({ isTypeOnly }) => !isTypeOnly);
  const bundled = new Set(links.filter(({ from }) => from.startsWith('web/')).map(({ to }) => to));
  // A set also visits what is added meanwhile.
  for (const one of bundled) for (const { from, to } of links) if (from === one) bundled.add(to);
  const { sources } = await import(pathToFileURL(join(root, 'scripts/build-web.mjs')).href);
  const isSource = (file: string) => sources.some((one: string) => file === one || file.startsWith(`${one}/`));
  const shared = [...bundled].filter((one) => /^(contracts|generated|server)\//.test(one));
  expect(shared.length).toBeGreaterThan(10);
  expect(shared.filter((one) => !isSource(`${one}.ts`))).toEqual([]);
});

test.each([
  ['contracts/posts.ts', '#server/base/errors', 'contracts/ imports contracts/ and zod alone'],
  ['contracts/posts.ts', 'node:fs', 'contracts/ imports contracts/ and zod alone'],
  ['server/agents/open.ts', '#generated/catalog', 'only server/wiring/ imports generated/ and packages/'],
  ['server/base/store/database.ts', '#generated/statements', 'only server/wiring/ imports generated/ and packages/'],
  ['server/writing/posts/drafts.ts', '#packages/sdk/src/index', 'only server/wiring/ imports generated/ and packages/'],
  ['packages/sdk/src/http.ts', '#contracts/errors', 'a package imports its own files alone'],
  ['web/page.tsx', '#server/base/errors', 'web/ imports web/, packages/sdk, generated/app-client'],
  ['web/page.tsx', '#generated/catalog', 'web/ imports web/, packages/sdk, generated/app-client'],
  ['server/doors/http/reply.ts', '#server/base/store/database', 'never touch a store, a network or a job'],
  ['server/doors/http/reply.ts', '#server/networks/network', 'never touch a store, a network or a job'],
  ['server/doors/mcp/tools.ts', '#server/base/jobs/publish', 'never touch a store, a network or a job'],
  ['server/writing/posts/actions/get.ts', '#server/writing/posts/store', 'an action calls rules, not stores'],
  ['server/writing/posts/actions/get.ts', '#server/writing/posts/outcome-store', 'an action calls rules, not stores'],
  ['server/writing/posts/actions/get.ts', '#server/base/store/database', 'an action calls rules, not stores'],
  ['server/writing/posts/actions/get.ts', '#contracts/media', 'an action imports the contract of its own domain alone'],
  ['server/writing/posts/drafts.ts', '#server/media/media-store', 'a store is private to its slice'],
  ['server/writing/posts/drafts.ts', '#server/media/upload-address-store', 'a store is private to its slice'],
  ['server/planning/open.ts', '#server/writing/posts/store', 'a store is private to its slice'],
  ['server/planning/open.ts', '#server/writing/posts/outcome-store', 'a store is private to its slice'],
  ['server/planning/open.ts', '#server/people/workspaces/stores', 'a store is private to its slice'],
  ['server/agents/open.ts', '#server/people/factors/passkey-store', 'a store is private to its slice'],
  ['server/base/jobs/publish.ts', '#server/writing/posts/store', 'a store is private to its slice'],
  ['server/writing/posts/limits.ts', '#server/networks/x/index', 'and none of its folders'],
  ['server/writing/posts/limits.ts', '#server/networks/shared/text', 'and none of its folders'],
  ['server/networks/x/index.ts', '#server/networks/threads/index', 'a network imports its own files'],
  ['server/networks/shared/text.ts', '#server/networks/x/index', 'a network imports its own files'],
  ['server/networks/shared/text.ts', '#server/networks/families/meta/graph', 'a network imports its own files'],
  ['server/networks/families/meta/graph.ts', '#server/networks/threads/index', 'a network imports its own files'],
  ['server/networks/families/meta/graph.ts', '#server/networks/families/google/api', 'a network imports its own files'],
  ['server/networks/x/index.ts', '#server/writing/posts/limits', 'a network imports its own files'],
  ['server/networks/x/index.ts', '#server/networks/registry', 'a network imports its own files'],
  ['test/support/until.ts', '../posts.test.ts', '`../` is not used'],
  ['server/networks/registry.ts', './shared/text.ts', '`./` stays inside its folder'],
])('%s may not import %s', async (file, found, words) => {
  await plant({ [file]: `import { one } from 'zod';\nimport type {\n  Two,\n} from '${found}';\n` });
  expect(await checkImports(tree)).toContainEqual({ file, line: 4, found, rule: expect.stringContaining(words) });
});

test.each([
  ['contracts/posts.ts', './define.ts'],
  ['server/wiring/actions.ts', '#generated/catalog'],
  ['server/base/store/statement.ts', '#generated/statements'],
  ['server/writing/posts/slice.ts', './store.ts'],
  ['server/wiring/main.ts', '#server/doors/http/server'],
  ['server/doors/mcp/endpoint.ts', '#server/doors/http/reply'],
  ['web/page.tsx', '#packages/sdk/src/index'],
  ['web/page.tsx', '#generated/app-client'],
  ['web/page.tsx', '#contracts/posts'],
  ['web/page.tsx', '#server/networks/counting'],
  ['web/page.tsx', '#web/base/time.ts'],
  ['server/writing/posts/drafts.ts', './store.ts'],
  ['server/writing/posts/outcome.ts', './outcome-store.ts'],
  ['server/writing/posts/limits.ts', '#server/networks/registry'],
  ['server/networks/x/index.ts', '#server/networks/shared/text'],
  ['server/networks/threads/index.ts', '#server/networks/families/meta/graph'],
  ['server/networks/families/meta/graph.ts', '#server/networks/shared/text'],
  ['server/networks/x/api.ts', '#server/networks/request'],
  ['server/networks/x/sandbox.ts', '#server/networks/sandbox'],
  ['server/networks/x/index.ts', 'twitter-text'],
])('%s may import %s', async (file, found) => {
  await plant({ [file]: `import type { One } from '${found}';\n` });
  expect(await checkImports(tree)).toEqual([]);
});

test('types of statements are imported as types', async () => {
  await plant({ 'server/base/store/statement.ts': `import { Statements } from '#generated/statements';\n` });
  expect(await checkImports(tree)).toHaveLength(1);
});

test.each([
  `import '#server/doors/http/reply';`,
  `export * from '#server/doors/http/reply';`,
  `export { one } from "#server/doors/http/reply";`,
  `const one = await import('#server/doors/http/reply');`,
  `let one: import('#server/doors/http/reply').One;`,
])('%s is an import too', async (text) => {
  await plant({ 'server/writing/posts/drafts.ts': text });
  expect(await checkImports(tree)).toHaveLength(1);
});

test.each([
  ['server/base/store/database.ts', '#server/access/auth/rights'],
  ['server/access/audit/audit-log.ts', '#server/messaging/webhooks/webhooks'],
  ['server/writing/posts/actions/metrics.ts', '#server/delivery/statistics/statistics'],
  ['server/agents/admission.ts', '#server/doors/http/reply'],
  ['server/doors/http/reply.ts', '#server/wiring/main'],
  ['web/base/api.ts', '#web/parts/toasts.tsx'],
  ['web/parts/list.tsx', '#web/shell/shell.tsx'],
  ['web/previews/x.tsx', '#web/send-off/steps.ts'],
  ['web/live/live.ts', '#web/shell/bell.tsx'],
  ['web/shell/shell.tsx', '#web/pages/home/index.tsx'],
])('%s may not import %s, which is above it', async (file, found) => {
  await plant({ [file]: `import type { One } from '${found}';\n` });
  expect(await checkImports(tree)).toContainEqual({
    file,
    line: 1,
    found,
    rule: expect.stringContaining('a room imports only rooms below it'),
  });
});

test('no page imports another', async () => {
  const otherPage = '#web/pages/analytics/chart.tsx';
  await plant({ 'web/pages/home/index.tsx': `import { Chart } from '${otherPage}';\n` });
  expect(await checkImports(tree)).toMatchObject([
    { found: otherPage, rule: expect.stringContaining('no page imports another') },
  ]);
});

test.each(['server/clock.ts', 'server/extras/clock.ts'])('%s is in no room', async (file) => {
  await plant({ [file]: '' });
  expect(await checkImports(tree)).toMatchObject([
    { file, rule: expect.stringContaining('everything in server/ is in a room') },
  ]);
});

test('files of one folder may not import each other in a circle', async () => {
  await plant({
    'server/writing/a/one.ts': `import { two } from './two.ts';\n`,
    'server/writing/a/two.ts': `import { three } from './three.ts';\n`,
    'web/parts/four.ts': `import { five } from './five.ts';\n`,
  });
  expect(await checkImports(tree)).toEqual([]);
  await plant({
    'server/writing/a/three.ts': `import type { One } from './one.ts';\n`,
    'web/parts/five.ts': `import type { Four } from './four.ts';\n`,
  });
  const complaints = await checkImports(tree);
  expect(complaints.map(({ file }) => file)).toEqual([
    'server/writing/a/one.ts',
    'server/writing/a/three.ts',
    'server/writing/a/two.ts',
    'web/parts/five.ts',
    'web/parts/four.ts',
  ]);
  expect(complaints[0]?.rule).toContain('writing/a/one → writing/a/two → writing/a/three → writing/a/one is a circle');
});

test.each([
  ['process.env', 'only config.ts reads the environment'],
  ['Date.now()', 'only clock.ts knows the time'],
  ['new Date()', 'only clock.ts knows the time'],
])('%s is used in clock.ts and config.ts alone', async (found, words) => {
  const text = `export const at = new Date(0);\nexport const one = ${found};\n`;
  await plant({ 'server/base/clock.ts': text, 'server/base/config/config.ts': text, 'scripts/generate.ts': text });
  expect(await checkImports(tree)).toEqual([]);
  const file = 'server/writing/posts/drafts.ts';
  await plant({ [file]: text });
  expect(await checkImports(tree)).toEqual([{ file, line: 2, found, rule: expect.stringContaining(words) }]);
});

test.each([
  [`app.get('/api/app/plan'`, 'server/wiring/doors.ts'],
  [`router.post(\n  '/api/webhooks'`, 'server/messaging/webhooks/routes.ts'],
  ['Router().all(`/mcp`', 'server/doors/mcp/endpoint.ts'],
  [`app.use('/api/app'`, 'server/doors/http/doors.ts'],
  [`app.use('/docs'`, 'server/wiring/doors.ts'],
  [`app.all(['/a', '/b']`, 'server/doors/http/server.ts'],
  ['app.post(routes.uploadMedia.path', 'server/wiring/doors.ts'],
  ['createExpressEndpoints(', 'server/doors/http/app-routes.ts'],
])('%s is not registered in %s but by the router', async (text, file) => {
  const planted = `const one = 1;\n${text}, serve);\n`;
  await plant({
    'generated/router.ts': planted,
    'server/base/pages/routes.ts': planted,
    'server/networks/x/sandbox.ts': planted,
  });
  expect(await checkImports(tree)).toEqual([]);
  await plant({ [file]: planted });
  expect(await checkImports(tree)).toEqual([
    { file, line: 2, found: expect.stringContaining('('), rule: expect.stringContaining('generated/router.ts alone') },
  ]);
});

test.each([
  'insert into drafts (id) values ($1)',
  'update drafts set text = $1',
  'update drafts as d\n  set text = $1',
  'delete from drafts where id = $1',
  'truncate drafts',
  `Draft.init({}, { tableName: 'drafts' })`,
])('a second slice may not write a table: %s', async (statement) => {
  const text = `const write = \`${statement}\`;\n`;
  const reading = "export const reads = ['drafts'];\nconst read = `select from drafts for update skip locked`;\n";
  await plant({ 'server/writing/a/store.ts': text, 'server/writing/b/store.ts': reading });
  expect(await checkImports(tree)).toEqual([]);
  await plant({ 'server/writing/b/store.ts': text });
  const complaints = await checkImports(tree);
  expect(complaints.map(({ file }) => file)).toEqual(['server/writing/a/store.ts', 'server/writing/b/store.ts']);
  expect(complaints[0]?.rule).toContain('one slice writes a table, and a and b write drafts');
});

test('a table has either a model or statements', async () => {
  const model = `Draft.init({}, { tableName: 'drafts' });\n`;
  await plant({ 'server/writing/a/store.ts': `${model}const read = \`select from drafts\`;\n` });
  expect(await checkImports(tree)).toEqual([]);
  await plant({ 'server/writing/a/store.ts': `${model}const write = \`update drafts set text = $1\`;\n` });
  expect(await checkImports(tree)).toMatchObject([{ line: 2, rule: expect.stringContaining('drafts has both') }]);
});

test('a table is written by stores of its slice alone', async () => {
  const text = 'const write = `delete from drafts`;\n';
  await plant({ 'server/writing/a/store.ts': text, 'server/writing/a/draft-store.ts': text });
  expect(await checkImports(tree)).toEqual([]);
  await plant({ 'server/writing/a/rules.ts': text });
  expect(await checkImports(tree)).toMatchObject([{ line: 1, rule: expect.stringContaining('only a store writes') }]);
});

const owning = (table: string) => `const write = \`delete from ${table}\`;\n`;
const reading = (statement: string) => `const read = \`${statement}\`;\n`;

test.each([
  'select from drafts',
  'select 1 from notes n\n  join drafts d on d.id = n.id',
  'select 1 from notes n, drafts d where d.id = n.id',
  'delete from notes using drafts d where d.id = notes.id',
  'with old as (select id from only drafts) select from old',
])("a statement that reads another slice's table is declared in its store: %s", async (statement) => {
  const text = `${owning('notes')}${reading(statement)}`;
  await plant({ 'server/writing/a/store.ts': owning('drafts'), 'server/writing/b/store.ts': text });
  expect(await checkImports(tree)).toMatchObject([
    {
      file: 'server/writing/b/store.ts',
      rule: expect.stringContaining('drafts is a table of a; call a rule of that slice'),
    },
  ]);
  await plant({ 'server/writing/b/store.ts': `export const reads = ['drafts'];\n${text}` });
  expect(await checkImports(tree)).toEqual([]);
});

test('each store declares what it reads itself', async () => {
  const declaring = `export const reads = ['drafts'];\n`;
  await plant({
    'server/writing/a/store.ts': owning('drafts'),
    'server/writing/b/store.ts': declaring,
    'server/writing/b/note-store.ts': "const read = 'select from drafts';\n",
  });
  expect(await checkImports(tree)).toMatchObject([
    {
      file: 'server/writing/b/note-store.ts',
      rule: expect.stringContaining('reads` of server/writing/b/note-store.ts'),
    },
    { file: 'server/writing/b/store.ts', rule: expect.stringContaining('take it out of `reads`') },
  ]);
});

test('a part of statements is declared in every store of the slice that imports it', async () => {
  const part = 'export const last = `(select max(id) from drafts)`;\n';
  const importing = `import { last } from './columns.ts';\n`;
  await plant({ 'server/writing/a/store.ts': owning('drafts'), 'server/writing/b/columns.ts': part });
  const found = { file: 'server/writing/b/columns.ts', line: 1, found: 'from drafts' };
  expect(await checkImports(tree)).toMatchObject([{ ...found, rule: expect.stringContaining('read it in a store') }]);
  const declaring = `${importing}export const reads = ['drafts'];\n`;
  await plant({ 'server/writing/b/store.ts': declaring, 'server/writing/b/note-store.ts': importing });
  expect(await checkImports(tree)).toMatchObject([
    { ...found, rule: expect.stringMatching(/name the table in `reads` of server\/writing\/b\/note-store\.ts$/) },
  ]);
  await plant({ 'server/writing/b/note-store.ts': declaring });
  expect(await checkImports(tree)).toEqual([]);
});

test('a store declares no table that it does not read', async () => {
  const text = `// Nothing comes from drafts.\nexport const reads = ['drafts'];\n`;
  await plant({ 'server/writing/a/store.ts': owning('drafts'), 'server/writing/b/store.ts': text });
  expect(await checkImports(tree)).toEqual([
    {
      file: 'server/writing/b/store.ts',
      line: 2,
      found: 'drafts',
      rule: expect.stringContaining('take it out of `reads`'),
    },
  ]);
});

test("slices may not read each other's tables, in however long a circle", async () => {
  const text = (own: string, other: string) =>
    `export const reads = ['${other}'];\n${owning(own)}${reading(`select from ${other}`)}`;
  await plant({
    'server/writing/a/store.ts': text('drafts', 'notes'),
    'server/writing/b/store.ts': text('notes', 'tags'),
    'server/writing/c/store.ts': owning('tags'),
  });
  expect(await checkImports(tree)).toEqual([]);
  await plant({ 'server/writing/c/store.ts': text('tags', 'drafts') });
  const complaints = await checkImports(tree);
  expect(complaints.map(({ file }) => file)).toEqual(
    ['a', 'b', 'c'].map((slice) => `server/writing/${slice}/store.ts`),
  );
  expect(complaints[0]?.rule).toContain("read each other's tables one way; a → b → c → a is a circle");
});

test.each([`headers.get('location')`, `kit.records.put('key', id)`, `app.use('/docs', pages)`, 'app.use(router)'])(
  '%s registers no path of the API',
  async (text) => {
    await plant({ 'server/doors/http/doors.ts': text });
    expect(await checkImports(tree)).toEqual([]);
  },
);

test('web/ takes types of contracts/ alone, not what they do', async () => {
  await plant({ 'web/page.tsx': `import { Post } from '#contracts/posts';\n` });
  expect(await checkImports(tree)).toMatchObject([{ found: '#contracts/posts' }]);
});

test('web/ asks base/time.ts for the time', async () => {
  const text = 'export const at = new Date();\n';
  await plant({ 'web/base/time.ts': text, 'web/pages/home/index.tsx': text });
  expect(await checkImports(tree)).toMatchObject([{ file: 'web/pages/home/index.tsx', found: 'new Date()' }]);
});

test('the command names file, line, import and rule, and fails', async () => {
  await plant({ 'package.json': '{ "type": "module" }', 'contracts/posts.ts': `import '#server/base/errors';\n` });
  for (const name of ['check-imports.ts', 'rooms.ts'])
    await cp(join(root, 'scripts', name), join(tree, 'scripts', name));
  const command = promisify(execFile)(process.execPath, ['--import', 'tsx', join(tree, 'scripts/check-imports.ts')]);
  await expect(command).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^contracts\/posts\.ts:1 {2}'#server\/base\/errors': contracts\/ imports .+; move .+\n$/,
    ),
  });
});
