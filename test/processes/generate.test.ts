import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContracts } from '#scripts/contracts';
import { emitHandlers } from '#scripts/emit-registries';
import { emitRouter } from '#scripts/emit-router';
import { type FreshDatabase, freshDatabase, urlOf } from '#test/support/database';
import { setUpInstallation } from '#test/support/installation';
import { createProcesses, type Processes } from '#test/support/processes';
import { until } from '#test/support/until';

const root = resolve(import.meta.dirname, '../..');

/** A declaration as somebody who adds an action writes it. */
const declaration = (name: string, input: string, output: string, example: string) => `
  '${name}': action({
    kind: 'ReadOnly',
    scope: 'posts:read',
    roles: everyone,
    mcp: 'Listed',
    summary: 'Throwaway',
    description: 'What ${name} does.',
    input: z.strictObject({ ${input} }),
    output: z.object({ ${output} }),
    errors: [],
    examples: [${example}],
  }),
`;
const shout = declaration(
  'posts.shout',
  "id: Id.describe('Post id')",
  "text: z.string().describe('In capitals')",
  "{ title: 'Loud', input: { id: draft.id }, output: { text: 'HI' } }",
);
const shoutHandler = `
import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/base/context';
import type { Reading } from '#server/writing/posts/reading';

export const shoutPost = ({ reading }: { reading: Reading }): Handler<(typeof postActions)['posts.shout']> =>
  async ({ caller, input }) => {
    const post = await reading.get(caller, input.id);
    return { text: (post.versions[0]?.content[0]?.body ?? '').toUpperCase() };
  };
`;
/** An action that needs approval, so its declaration also says what its card is about and shows. */
const hush = shout
  .replaceAll('posts.shout', 'posts.hush')
  .replace(
    "kind: 'ReadOnly',",
    "kind: 'NeedsApproval',\n    approval: { subject: 'post', sentence: 'Hush this post', verb: 'Approve and hush' },",
  );
const hushHandler = shoutHandler
  .replace('posts.shout', 'posts.hush')
  .replace('shoutPost', 'hushPost')
  .replace('toUpperCase', 'toLowerCase');
const echoes = (name: string) => `
import { z } from 'zod';
import { action } from './define.ts';
import { everyone } from './scopes.ts';

export const echoActions = {${declaration(name, '', 'networks: z.int()', '')}};
`;
const echoesHandler = `
import type { echoActions } from '#contracts/echoes';
import type { Handler } from '#server/base/context';
import type { Providers } from '#server/connecting/providers/providers';

export const countNetworks = ({ providers }: { providers: Providers }): Handler<(typeof echoActions)['echoes.count']> =>
  async () => ({ networks: providers.limits().length });
`;
/** A route as somebody who adds one writes it. */
const whispers = (name: string, path: string) => `
import { z } from 'zod';
import { appRoute, type Route } from './define.ts';
import { everyone } from './scopes.ts';

export const whisperRoutes = {
  ${name}: appRoute({
    method: 'GET',
    path: '${path}',
    tag: 'Whispers',
    summary: 'Throwaway',
    description: 'What ${name} does.',
    roles: everyone,
    answer: z.object({ text: z.string() }),
  }),
} as const satisfies Record<string, Route>;
`;
/** A caller of the typed client; it compiles only if the client knows both actions. */
const caller = `
import { Posthorn } from '#packages/sdk/src/index';

const [baseUrl = '', token = ''] = process.argv.slice(2);
const client = new Posthorn({ baseUrl, token });
const { id } = await client.posts.create({ body: 'hello' });
const { text }: { text: string } = await client.posts.shout({ id });
const { networks }: { networks: number } = await client.echoes.count();
console.log(JSON.stringify({ text, networks }));
`;

let copy: string;

const node = (cwd: string, ...args: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((done) => {
    execFile(process.execPath, args, { cwd }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
const generate = (...args: string[]) => node(copy, '--import', 'tsx', 'scripts/generate.ts', ...args);

const read = (file: string) => readFile(join(copy, file), 'utf8');
const write = async (file: string, text: string) => {
  await mkdir(dirname(join(copy, file)), { recursive: true });
  await writeFile(join(copy, file), text);
};
const outputs = async () => {
  const files: Record<string, string> = {};
  for (const folder of ['generated', 'packages', 'openapi', 'docs']) {
    for (const entry of await readdir(join(copy, folder), { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name).slice(copy.length + 1);
      if (entry.isFile()) files[file] = await read(file);
    }
  }
  return files;
};

/** Runs `work` with a changed file, then restores the file. */
const withFile = async <Result>(file: string, text: string, work: () => Promise<Result>) => {
  const before = await read(file).catch(() => undefined);
  await write(file, text);
  try {
    return await work();
  } finally {
    if (before === undefined) await rm(join(copy, file));
    else await write(file, before);
  }
};

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'posthorn-generate-'));
  const folders = ['contracts', 'docs', 'generated', 'openapi', 'packages', 'scripts', 'server', 'test/support', 'web'];
  const files = ['package.json', 'tsconfig.json', 'LICENSE', 'README.md', 'bench/RESULTS.md'];
  const parts = [...folders, ...files];
  // Somebody may have built the SDK in its folder.
  const filter = (path: string) => !['dist', 'node_modules'].includes(basename(path));
  for (const part of parts) await cp(join(root, part), join(copy, part), { recursive: true, filter });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
});

afterAll(() => rm(copy, { recursive: true }));

test('from nothing it writes what is committed, to the byte', async () => {
  const before = await outputs();
  await rm(join(copy, 'generated'), { recursive: true });
  await rm(join(copy, 'openapi'), { recursive: true });
  expect(await generate()).toMatchObject({ code: 0 });
  expect(await outputs()).toEqual(before);
});

describe('the generator stops', () => {
  test('at a handler without a contract and at a contract without a handler, naming the file of each', async () => {
    const both = () => withFile('contracts/echoes.ts', echoes('echoes.count'), generate);
    expect(await withFile('server/writing/posts/actions/whisper.ts', shoutHandler, both)).toMatchObject({
      code: 1,
      stderr:
        'server/writing/posts/actions/whisper.ts has no contract: declare posts.whisper in contracts/ or remove the file\n' +
        'echoes.count has no handler: write echoes/actions/count.ts in the room of its slice\n',
    });
  });

  // The others need no process: each of these errors ends the generator like the ones above.
  test('at a handler that has no name, and at a file that exports a second thing', async () => {
    const { actions } = await readContracts(copy);
    const file = 'server/writing/posts/actions/get.ts';
    const text = await read(file);
    for (const wrong of [text.replace('export const getPost =', 'export default'), `${text}export const more = 1;\n`]) {
      await expect(withFile(file, wrong, () => emitHandlers(copy, actions))).rejects.toThrow(
        /^server\/writing\/posts\/actions\/get\.ts must export its handler alone, by name/,
      );
    }
    await expect(emitHandlers(copy, actions)).resolves.toBeDefined();
  });

  const readAndEmit = async () => {
    const { routes, raw } = await readContracts(copy);
    return emitRouter(routes, raw);
  };
  const card = 'may need approval, so it needs the card it becomes (approval)';

  /** Each has a file of its own: a module is loaded once. */
  test.each([
    [
      'a route whose roles nobody could have',
      'contracts/whispers.ts',
      whispers('whisper', '/api/whispers').replaceAll('appRoute', 'publicRoute'),
      'whisper has roles, so it takes a session or a token, not Public',
    ],
    ['an action that is declared twice', 'contracts/zebra.ts', echoes('posts.list'), 'posts.list is declared twice'],
    [
      'two routes of one path',
      'contracts/whispers-at.ts',
      whispers('whisper', '/api/webhooks'),
      'whisper has the path of listWebhooks: GET /api/webhooks',
    ],
    [
      'two routes of one name',
      'contracts/whispers-of.ts',
      whispers('listWebhooks', '/api/whispers'),
      'listWebhooks is declared twice',
    ],
    [
      'an action that may need approval and does not say what its card is',
      'contracts/echoes.ts',
      echoes('echoes.count').replace('errors: []', "errors: ['ApprovalRequired']"),
      `echoes.count ${card}`,
    ],
  ])('at %s', async (_, file, text, words) => {
    const error = await withFile(file, text, readAndEmit).catch((refused: Error) => refused);
    expect(error).toMatchObject({ message: `${file}: ${words}` });
  });

  test('with --check, at an edited file, at one from nowhere and at pages that quote a figure that changed, not at what pip leaves', async () => {
    const edited = `${await read('generated/rest.ts')}// by hand\n`;
    const results = await read('bench/RESULTS.md');
    const measured = results.replace(/^(\| 1000 +\| Posthorn .+?\| )\d+( \[\d+–\d+\] +\| 0\.)/m, '$1987654$2');
    expect(measured).not.toBe(results);
    const installed = () => withFile('packages/python/posthorn.egg-info/PKG-INFO', '', () => generate('--check'));
    const stray = () => withFile('packages/sdk/src/generated/stray.ts', '', installed);
    const check = () => withFile('bench/RESULTS.md', measured, stray);
    const { code, stderr } = await withFile('generated/rest.ts', edited, check);
    expect(stderr.split('\n').slice(0, 5)).toEqual([
      'out of date: generated/rest.ts',
      'out of date: docs/faq.md',
      'out of date: docs/scaling.md',
      'not generated from anything: packages/sdk/src/generated/stray.ts',
      'Run `npm run generate` and commit what it writes.',
    ]);
    expect(code).toBe(1);
  });
});

describe('three more actions, one more route and one more network', () => {
  let posthorn: Processes;
  let fresh: FreshDatabase;

  beforeAll(async () => {
    fresh = await freshDatabase({ isMigrated: true });
    posthorn = await createProcesses(copy, { DATABASE_URL: urlOf(fresh.parts) });
    // Everything a developer edits by hand: a declaration and a handler per action, a declaration for the route,
    // a folder for the network.
    const posts = await read('contracts/posts.ts');
    await write(
      'contracts/posts.ts',
      posts.replace('export const postActions = {', (opening) => opening + shout + hush),
    );
    await write('server/writing/posts/actions/shout.ts', shoutHandler);
    await write('server/writing/posts/actions/hush.ts', hushHandler);
    await write('contracts/echoes.ts', echoes('echoes.count'));
    await write('server/connecting/echoes/actions/count.ts', echoesHandler);
    await write('contracts/whispers.ts', whispers('listWhispers', '/api/app/whispers'));
    const [model = '', added = ''] = ['bluesky', 'one_more'].map((key) => join(copy, 'server/networks', key));
    await cp(model, added, { recursive: true });
    for (const file of await readdir(added)) {
      const path = `server/networks/one_more/${file}`;
      await write(path, (await read(path)).replaceAll('bluesky', 'one_more').replaceAll('Bluesky', 'One More'));
    }
  });

  afterAll(async () => {
    await posthorn?.clear();
    await fresh?.drop();
  });

  test('change generated files alone', async () => {
    const { code, stdout } = await generate();
    expect(code).toBe(0);
    expect(stdout.trim().split('\n').sort()).toEqual([
      'docs/networks.md',
      'docs/networks/one_more.md',
      'docs/pictures/architecture.svg',
      'generated/app-client.ts',
      'generated/catalog.ts',
      'generated/commands.ts',
      'generated/handlers.ts',
      'generated/mcp-tools.ts',
      'generated/networks.ts',
      'generated/rest.ts',
      'generated/sandboxes.ts',
      'openapi/llms.txt',
      'openapi/openapi-app.json',
      'openapi/openapi.json',
      'openapi/posthorn.postman_collection.json',
      'packages/contract/src/generated/rest.ts',
      'packages/n8n/generated/actions.js',
      'packages/python/README.md',
      'packages/python/posthorn/_generated/async_client.py',
      'packages/python/posthorn/_generated/client.py',
      'packages/python/posthorn/_generated/types.py',
      'packages/sdk/README.md',
      'packages/sdk/src/generated/client.ts',
      'packages/sdk/src/generated/types.ts',
    ]);
  });

  test.each([
    ['generated/catalog.ts', '"name": "posts.shout"', '"name": "echoes.count"'],
    ['generated/handlers.ts', "'posts.shout': build(shoutPost, rules)", "'echoes.count': build(countNetworks, rules)"],
    ['generated/rest.ts', "path: '/api/agent/tools/posts.shout'", "path: '/api/agent/tools/echoes.count'"],
    ['generated/mcp-tools.ts', '"name": "posts_shout"', '"name": "echoes_count"'],
    ['openapi/openapi.json', '"/api/agent/tools/posts.shout"', '"/api/agent/tools/echoes.count"'],
    ['packages/sdk/src/generated/client.ts', 'shout(input: PostsShoutInput', 'count(input: EchoesCountInput'],
    ['generated/rest.ts', '  ...whisperRoutes,'],
    ['generated/app-client.ts', 'listWhispers: (options?: CallOptions)'],
    ['generated/networks.ts', "import oneMore from '#server/networks/one_more/index';", "  { ...oneMore, icon: 'M"],
    ['docs/networks.md', '| [One More](networks/one_more.md) |'],
    ['docs/networks/one_more.md', '# One More', '| Key | `one_more` |'],
  ])('are in %s', async (file, ...words) => {
    const text = await read(file);
    for (const word of words) expect(text).toContain(word);
  });

  test('compile, with a caller of the typed client; the route does not without its handler', async () => {
    await write('test/caller.ts', caller);
    // Tests and scripts would only take longer.
    const include = ['server', 'test/caller.ts'];
    await write('tsconfig.part.json', JSON.stringify({ extends: './tsconfig.json', include }));
    // Several checkers would each find out the same types.
    const tsc = ['node_modules/typescript/bin/tsc', '--checkers', '1', '-p', 'tsconfig.part.json'];
    const { code, stdout } = await node(copy, ...tsc);
    expect(stdout.match(/error TS.+/g)).toEqual([expect.stringContaining("Property 'listWhispers' is missing")]);
    expect(code).not.toBe(0);
  });

  test('answer that caller, and the network can be connected and published to', async () => {
    await rm(join(copy, 'contracts/whispers.ts'));
    expect(await generate()).toMatchObject({ code: 0 });
    const service = await posthorn.start();
    const person = { email: 'owner@example.com', password: 'correct horse' };
    const { token, workspaceId } = await setUpInstallation(posthorn.settings, person);
    const listed = (await service.call(token, 'providers.list')).body.providers;
    expect(listed).toContainEqual(expect.objectContaining({ network: 'one_more', sandbox: true }));
    const { id: accountId } = await posthorn.ask('account', 'add', '--workspace', workspaceId, '--network', 'one_more');
    const post = (await service.call(token, 'posts.create', { accountIds: [accountId], body: 'Hello' })).body;
    await (await service.signIn(person))('/api/app/actions/posts.publishNow', { id: post.id });
    await until('it is published', async () => {
      const { body } = await service.call(token, 'posts.get', { id: post.id });
      return body.status === 'Published';
    });
    const { body } = await service.call(token, 'providers.limits');
    const limits = body.providers as { network: string; provider: string }[];
    expect(limits).toContainEqual(expect.objectContaining({ network: 'one_more', provider: 'One More' }));
    const { stdout, stderr } = await node(copy, '--import', 'tsx', 'test/caller.ts', service.url, token);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({ text: 'HELLO', networks: limits.length });

    const answer = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'posts_hush', arguments: { id: post.id } },
      }),
    });
    const { result } = (await answer.json()) as { result: { structuredContent: { approvalUrl: string } } };
    const card = new URL(result.structuredContent.approvalUrl).pathname;
    const approved = await (await service.signIn(person))(`/api${card}/approve`, {});
    expect(approved).toMatchObject({ status: 'Approved', sentence: 'Hush this post', verb: 'Approve and hush' });
  });
});
