import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { toolsFolder } from './fresh-service.ts';

/** A generator of other people, and a program that uses the client it makes. */
export interface GeneratedClient {
  readonly generator: string;
  /** Where the generator and what its client needs are installed. */
  readonly packages: string;
  /** Arguments of node, in a folder with api.json. */
  readonly generate: (folder: string, baseUrl: string) => readonly string[];
  /** Prints what `expected` says: it uploads picture.png, writes a draft with it, and asks to publish that. */
  readonly program: string;
}

export const expected = ['A horn', 1, 'ApprovalRequired'];

const root = resolve(import.meta.dirname, '../..');
/** These two need the API of TypeScript 5, and the service has TypeScript 7. */
const withTypeScript5 = (...path: string[]) => [
  '--import',
  join(root, 'test/support/typescript-5.mjs'),
  join(root, 'node_modules', ...path),
];
const tool = (...path: string[]) => join(toolsFolder, 'node_modules', ...path);

const openFile = `import { openAsBlob } from 'node:fs';
const baseUrl = process.env.POSTHORN_URL ?? '';
const headers = { Authorization: \`Bearer \${process.env.POSTHORN_TOKEN}\` };
const file = new File([await openAsBlob('picture.png')], 'picture.png', { type: 'image/png' });
`;
const versions = "[{ content: [{ body: 'Hello', media: [image.id] }] }]";
const print = 'console.log(JSON.stringify([image.alt, post.versions[0]?.content[0]?.media.length, code]));';

/** A folder, where others write one file. */
const heyApi = './client';

export const clients: readonly GeneratedClient[] = [
  {
    generator: 'openapi-typescript',
    packages: root,
    generate: () => [...withTypeScript5('openapi-typescript/bin/cli.js'), 'api.json', '-o', 'schema.d.ts'],
    program: `import createClient from 'openapi-fetch';
import type { paths } from './schema.d.ts';
${openFile}
const client = createClient<paths>({ baseUrl, headers });
const { data: image } = await client.POST('/api/media', {
  // The types of this generator have text for a file.
  body: { file: file as unknown as string, alt: 'A horn' },
  bodySerializer: ({ alt = '' }) => {
    const form = new FormData();
    form.set('alt', alt);
    form.set('file', file);
    return form;
  },
});
if (image === undefined) throw new Error('no image');
const { data: post } = await client.POST('/api/agent/tools/posts.create', { body: { versions: ${versions} } });
if (post === undefined) throw new Error('no post');
const { error } = await client.POST('/api/agent/tools/posts.publishNow', { body: { id: post.id } });
const code = error?.code;
${print}
`,
  },
  {
    generator: '@hey-api/openapi-ts',
    packages: root,
    generate: () => [
      ...withTypeScript5('@hey-api/openapi-ts/dist/run.mjs'),
      ...['-i', 'api.json', '-o', heyApi, '-c', '@hey-api/client-fetch', '--no-log-file'],
    ],
    program: `import { client } from '${heyApi}/client.gen';
import { postsCreate, postsPublishNow, uploadMedia } from '${heyApi}/sdk.gen';
${openFile}
client.setConfig({ baseUrl, headers });
const { data: image } = await uploadMedia({ body: { file, alt: 'A horn' }, throwOnError: true });
const { data: post } = await postsCreate({ body: { versions: ${versions} }, throwOnError: true });
const { error } = await postsPublishNow({ body: { id: post.id } });
const code = error?.code;
${print}
`,
  },
  {
    generator: 'swagger-typescript-api',
    packages: toolsFolder,
    generate: () => [
      tool('swagger-typescript-api/dist/cli.mjs'),
      ...['generate', '--path', 'api.json', '--output', '.', '--name', 'client.ts'],
    ],
    program: `import { Api } from './client';
${openFile}
const { api } = new Api({ baseUrl, baseApiParams: { headers } });
const { data: image } = await api.uploadMedia({ file, alt: 'A horn' });
const { data: post } = await api.postsCreate({ versions: ${versions} });
const code = await api.postsPublishNow({ id: post.id }).then(() => undefined, ({ error }) => error.code);
${print}
`,
  },
  {
    generator: 'oazapfts',
    packages: toolsFolder,
    generate: () => [tool('oazapfts/dist/cli.js'), 'api.json', 'client.ts'],
    program: `import { ok } from '@oazapfts/runtime';
import { defaults, postsCreate, postsPublishNow, uploadMedia } from './client';
${openFile}
defaults.baseUrl = baseUrl;
defaults.headers = headers;
const image = await ok(uploadMedia({ file, alt: 'A horn' }));
const post = await ok(postsCreate({ versions: ${versions} }));
const refusal = await postsPublishNow({ id: post.id });
const code = refusal.status === 403 ? refusal.data.code : undefined;
${print}
`,
  },
  {
    generator: 'orval',
    packages: toolsFolder,
    generate: (folder, baseUrl) => {
      const config = { api: { input: 'api.json', output: { target: 'client.ts', client: 'fetch', baseUrl } } };
      writeFileSync(join(folder, 'orval.config.cjs'), `module.exports = ${JSON.stringify(config)};`);
      return [tool('orval/dist/bin/orval.js'), '--config', 'orval.config.cjs'];
    },
    program: `import { postsCreate, postsPublishNow, uploadMedia } from './client';
${openFile}
const { data: image } = await uploadMedia({ file, alt: 'A horn' }, { headers });
if (!('alt' in image)) throw new Error('no image');
const { data: post } = await postsCreate({ versions: ${versions} }, { headers });
if (!('versions' in post)) throw new Error('no post');
const { data: refusal } = await postsPublishNow({ id: post.id }, { headers });
const code = 'code' in refusal ? refusal.code : undefined;
${print}
`,
  },
];
