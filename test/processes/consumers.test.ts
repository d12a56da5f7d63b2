import { execFile, spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actions } from '#generated/catalog';
import { signWebhook } from '#packages/sdk/src/index';
import { type Service, startService } from '#test/support/service';
import { buildProgram } from '#test/support/shared';
import { mp4 } from '#test/support/videos';

/** What other people's tools make of the contract, against a real service: Python, clients of two generators, a shell. */

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
let service: Service;
let folder: string;
let account: string;

beforeAll(async () => {
  service = await startService({}, { ownAddress: true });
  account = await service.addAccount('x');
  folder = await mkdtemp(join(tmpdir(), 'posthorn-consumers-'));
  const image = await sharp({ create: { width: 80, height: 60, channels: 3, background: '#8a4b08' } })
    .jpeg()
    .toBuffer();
  await writeFile(join(folder, 'horn.jpg'), image);
  await writeFile(join(folder, 'film.mp4'), mp4({ padding: 17_000_000 }));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await service.stop();
});

const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: folder,
  POSTHORN_URL: service.url,
  POSTHORN_TOKEN: service.token,
});

/** Not every machine has one; where the servers of Debian have to be there, it has to be too. */
const mayLackPython = spawnSync('python3', ['--version']).status !== 0 && !process.env.DEBIAN_SERVERS_REQUIRED;

test.skipIf(mayLackPython)(
  'the Python client creates, edits, lists, uploads, retries and verifies as the other one does',
  async () => {
    const body = JSON.stringify({ id: 'evt_1', type: 'ping', data: { message: 'Grüße' } });
    const secret = 'whsec_dGhlIHBvc3QgaG9ybg';
    const files = [join(folder, 'horn.jpg'), join(folder, 'film.mp4')];
    const { stdout } = await run('python3', [join(root, 'test/support/consumer.py'), ...files], {
      env: {
        ...environment(),
        PYTHONPATH: join(root, 'packages/python'),
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONUTF8: '1',
        WEBHOOK_BODY: body,
        WEBHOOK_HEADER: await signWebhook(body, secret),
        WEBHOOK_SECRET: secret,
      },
    });
    const { approval, ...said } = JSON.parse(stdout);
    expect(approval).toMatch(new RegExp(`^${service.url}/posts/post_\\w+$`));
    expect(said).toEqual({
      who: { ...service.owner, workspaceName: 'Demo', role: 'owner' },
      invalid: [['TooLong', 280, 281]],
      conflict: 409,
      waited: 'Draft',
      all: 4,
      upload: ['Image', 'A horn', true, true],
      progress: true,
      bytes: 80,
      retried: 'post_1',
      keys: [3, 1, 'posthorn-python/0.1.0'],
      waits: [1.5, true],
      noAnswer: true,
      film: ['Video', true, true],
      asynchronous: [true, 'Draft'],
      followed: ['2026-11-15T09:30:01Z', '2026-11-15T09:30:04Z', 1],
      event: 'ping',
      signature: true,
      rotated: 'evt_1',
      refusals: [
        'WrongSignature',
        'WrongSignature',
        'TooOld',
        'FromTheFuture',
        'MissingHeader',
        'MalformedHeader',
        'MissingSecret',
        'NotTheRawBody',
        'NotAnEvent',
      ],
    });
  },
);

describe('a generated client', () => {
  const node = (...args: string[]) => run('node', args, { cwd: folder, env: environment() });
  const generator = (...path: string[]) => [
    '--import',
    join(root, 'test/support/typescript-5.mjs'),
    join(root, 'node_modules', ...path),
  ];
  const compileAndRun = async (name: string, source: string) => {
    await writeFile(join(folder, `${name}.ts`), source);
    const strict = ['--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'esnext', '--types', 'node'];
    const more = ['--moduleResolution', 'bundler', '--noEmit', '--lib', 'es2022,dom,dom.iterable'];
    await run(join(root, 'node_modules/.bin/tsc'), [...strict, ...more, `${name}.ts`], { cwd: folder }).catch(
      ({ stdout }: { stdout: string }) => expect.unreachable(stdout),
    );
    return JSON.parse((await node(join(root, 'node_modules/tsx/dist/cli.mjs'), `${name}.ts`)).stdout);
  };

  beforeAll(async () => {
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await copyFile(join(root, 'openapi/openapi.json'), join(folder, 'api.json'));
  });

  test('by openapi-typescript and openapi-fetch leaves out what has a default, and meets typed errors', async () => {
    await node(...generator('openapi-typescript/bin/cli.js'), 'api.json', '-o', 'schema.d.ts');
    const said = await compileAndRun(
      'fetch',
      `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.d.ts';

const version: components['schemas']['VersionInput'] = { content: [{ body: 'One' }, { body: 'Two' }] };
const headers = { Authorization: \`Bearer \${process.env.POSTHORN_TOKEN}\` };
const client = createClient<paths>({ baseUrl: process.env.POSTHORN_URL ?? '', headers });
const made = await client.POST('/api/agent/tools/posts.create', { body: { accountIds: ['${account}'] } });
if (made.data === undefined) throw new Error(made.error.code);
const { id, accountIds } = made.data;
const edited = await client.POST('/api/agent/tools/posts.update', { body: { id, accountIds, versions: [version] } });
const refused = await client.POST('/api/agent/tools/posts.publishNow', { body: { id } });
const code: 'ApprovalRequired' | 'Forbidden' | undefined = refused.response.status === 403 ? refused.error?.code as 'ApprovalRequired' : undefined;
const network: components['schemas']['NetworkKey'] = 'x';
console.log(JSON.stringify([edited.data?.versions[0]?.content.length, code, network]));
`,
    );
    expect(said).toEqual([2, 'ApprovalRequired', 'x']);
  });

  test('by @hey-api/openapi-ts uploads a file and makes a post with it', async () => {
    await node(
      ...generator('@hey-api/openapi-ts/dist/run.mjs'),
      '-i',
      'api.json',
      '-o',
      'hey',
      '-c',
      '@hey-api/client-fetch',
      '--no-log-file',
    );
    const said = await compileAndRun(
      'hey/use',
      `
import { openAsBlob } from 'node:fs';
import { client } from './client.gen';
import { postsCreate, postsSetOption, postsUpdate, uploadMedia } from './sdk.gen';

client.setConfig({ baseUrl: process.env.POSTHORN_URL ?? '', auth: () => process.env.POSTHORN_TOKEN });
const image = await uploadMedia({ body: { file: await openAsBlob('horn.jpg'), alt: 'A horn' }, throwOnError: true });
const made = await postsCreate({ body: { body: 'Hello' }, throwOnError: true });
const versions = [{ content: [{ body: 'Hello', media: [image.data.id] }] }];
const { data } = await postsUpdate({ body: { id: made.data.id, accountIds: [], versions }, throwOnError: true });
const { error } = await postsSetOption({ body: { id: 'post_none', key: 'bluesky.reply_control', value: 'nobody' } });
console.log(JSON.stringify([image.data.alt, data.versions[0]?.content[0]?.media.length, error?.code]));
`,
    );
    expect(said).toEqual(['A horn', 1, 'NotFound']);
  });
});

describe('posthorn call', () => {
  beforeAll(() => buildProgram());

  const posthorn = (args: string[], more: NodeJS.ProcessEnv = {}) =>
    run('node', [join(root, 'scripts/posthorn.mjs'), ...args], {
      cwd: folder,
      env: { ...environment(), ...more },
    }).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
      ({ code, stdout, stderr }) => ({ code: Number(code), stdout: String(stdout), stderr: String(stderr) }),
    );
  const answer = async (...args: string[]) => {
    const { code, stdout, stderr } = await posthorn(['call', ...args]);
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };

  test('takes every field as a word of the command line, or as JSON, and prints JSON', async () => {
    const made = await answer('posts.create', '--body', 'From a shell', '--account-ids', account);
    expect(made).toMatchObject({ status: 'Draft', accountIds: [account] });
    const versions = '[{"content":[{"body":"One"},{"body":"Two"}]}]';
    const edited = await answer('posts.update', '--id', made.id, '--account-ids', account, '--versions', versions);
    expect(edited.versions[0].content).toHaveLength(2);
    expect((await answer('posts.list', '--limit', '1', '--compact')).posts).toHaveLength(1);
    await writeFile(join(folder, 'input.json'), JSON.stringify({ id: made.id, body: 'from the file' }));
    const set = await answer('posts.setVersionText', '--input', '@input.json', '--item-index', '1');
    expect(set.versions[0].content[1].body).toBe('from the file');
    expect(await answer('media.upload', '--file', 'horn.jpg', '--alt', 'A horn')).toMatchObject({ alt: 'A horn' });
    expect(await answer('whoami')).toMatchObject({ workspaceName: 'Demo', role: 'owner' });
  });

  test('tells a refusal as JSON with its own exit code, and a slip in words', async () => {
    const { id } = await answer('posts.create');
    const refused = await posthorn(['call', 'posts.publishNow', '--id', id]);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(JSON.parse(refused.stderr)).toMatchObject({
      code: 'ApprovalRequired',
      approvalUrl: `${service.url}/posts/${id}`,
    });
    for (const [args, words] of [
      [['posts.creat'], /There is no action posts\.creat/],
      [['posts.list', '--limit', 'many'], /--limit must be a number/],
      [['posts.create', '--text', 'x'], /--text/],
      [['posts.update', '--input', '{'], /--input must be JSON/],
      [['posts.list', '--profile', 'nobody'], /There is no profile nobody/],
    ] as const) {
      const { code, stderr } = await posthorn(['call', ...args]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
    }
    const nobody = await posthorn(['call', 'posts.list', '--url', 'http://127.0.0.1:9', '--timeout', '1']);
    expect([nobody.code, nobody.stdout]).toEqual([3, '']);
  });

  test('keeps servers and tokens in a file of its user alone', async () => {
    const own = { POSTHORN_URL: '', POSTHORN_TOKEN: '' };
    expect(await posthorn(['call', 'posts.list'], own)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('profile set default'),
    });
    expect((await posthorn(['profile', 'set', 'work', '--url', service.url, '--token', service.token])).code).toBe(0);
    expect((await stat(join(folder, '.config/posthorn/profiles.json'))).mode & 0o777).toBe(0o600);
    expect(JSON.parse((await posthorn(['profile', 'list'])).stdout)).toEqual([{ name: 'work', url: service.url }]);
    expect((await posthorn(['call', 'posts.list', '--profile', 'work'], own)).code).toBe(0);
    expect((await posthorn(['profile', 'remove', 'work'])).code).toBe(0);
    // Nobody named the default profile, so it is not mixed with a server or token that somebody named.
    expect((await posthorn(['profile', 'set', 'default', '--url', service.url, '--token', service.token])).code).toBe(
      0,
    );
    expect((await posthorn(['call', 'posts.list'], own)).code).toBe(0);
    const elsewhere = 'http://127.0.0.1:9';
    const named = { POSTHORN_URL: elsewhere, POSTHORN_TOKEN: '' };
    expect((await posthorn(['call', 'posts.list'], named)).code).toBe(2);
    expect((await posthorn(['call', 'posts.list', '--token', 'pht_x', '--timeout', '1'], named)).code).toBe(3);
    expect((await posthorn(['profile', 'remove', 'default'])).code).toBe(0);
    expect((await posthorn(['call', 'posts.list', '--profile', 'work'], own)).code).toBe(2);
  });

  test('shows every action, and completes actions, fields and values in a shell', async () => {
    const { stdout: all } = await posthorn(['call', '--help']);
    for (const name of Object.keys(actions)) expect(all).toContain(`  ${name} `);
    const { stdout: one } = await posthorn(['call', 'posts.setOption', '--help']);
    expect(one).toContain('--key <text>');
    const { stdout: script } = await posthorn(['completion', 'bash']);
    const complete = async (...words: string[]) => {
      const typed = words.map((word) => `'${word}'`).join(' ');
      const ask = `${script}\nCOMP_WORDS=(posthorn ${typed}); COMP_CWORD=${words.length}; _posthorn; echo "\${COMPREPLY[@]}"`;
      return (await run('bash', ['-c', ask])).stdout.trim().split(' ');
    };
    const { stdout: fish } = await posthorn(['completion', 'fish']);
    expect(fish).toContain("'__posthorn_after call posts.list ...' -l status -x -a 'Draft Scheduled");
    const { stdout: account } = await posthorn(['account', '--help']);
    expect(account).toMatch(
      /^posthorn account\n\n {2}account {2}add --workspace <id>[^\n]+\n +connect an account on the sandbox of a network\n$/,
    );
    const { stdout: help } = await posthorn(['help']);
    const groups = [...new Set(Array.from(help.matchAll(/^ {2}([a-z]+) /gm), ([, name]) => name))];
    expect((await complete('')).toSorted()).toEqual(groups.toSorted());
    expect(await complete('call', 'posts.set')).toEqual(['posts.setVersionText', 'posts.setOption']);
    expect(await complete('call', 'posts.create', '--acc')).toEqual(['--account-ids']);
    expect(await complete('call', 'posts.list', '--status', 'P')).toEqual(['Publishing', 'Published']);
  });
});
