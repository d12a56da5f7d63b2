import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { errorExamples, errorSchemas } from '#contracts/errors';
import { events } from '#contracts/events';
import { actions } from '#generated/catalog';
import { breakingChanges, type Document, declaredIn, publicPart } from '#scripts/breaking-changes';
import { breakingTypes, pythonTypes, typescriptTypes } from '#scripts/sdk-types';

interface Content {
  example?: unknown;
  examples?: Record<string, unknown>;
}
interface Operation {
  operationId: string;
  security?: object[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { content?: Record<string, Content> }>;
  'x-codeSamples'?: { lang: string }[];
}
interface Described {
  $ref?: string;
  description?: string;
  operationId?: string;
  in?: string;
  properties?: Record<string, Described>;
}
type WholeDocument = Document & {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Operation['responses'][string]> };
};
const read = (file: string) => readFileSync(`openapi/${file}`, 'utf8');
const documents = ['openapi.json', 'openapi-app.json'].map((file) => [file, JSON.parse(read(file))] as const);
const document = publicPart(JSON.parse(read('openapi.json')));

test('the document for programs with a token is small enough to be read whole', () => {
  expect(read('openapi.json').length).toBeLessThan(200_000);
});

test('requests of the Postman collection name only what an earlier one found or created', () => {
  const text = read('posthorn.postman_collection.json');
  expect(text).not.toMatch(/(acct|post|media)_\w{26}/);
  const { item, variable } = JSON.parse(text) as {
    item: { item?: { name: string }[] }[];
    variable: { key: string }[];
  };
  const names = item.flatMap((folder) => folder.item?.map(({ name }) => name) ?? []);
  expect(names).toEqual(expect.arrayContaining(Object.keys(actions)));
  expect(names.indexOf('posts.create')).toBeLessThan(names.indexOf('posts.get'));
  const set = variable.map(({ key }) => key);
  for (const [, name] of text.matchAll(/\{\{(\w+)\}\}/g)) expect(set).toContain(name);
});

test('the two documents share no operation, and tokens reach none of the app', () => {
  const [api = [], app = []] = documents.map(([, { paths }]: readonly [string, WholeDocument]) =>
    Object.values(paths).flatMap((methods) => Object.values(methods)),
  );
  const names = api.map(({ operationId }) => operationId);
  expect(app.filter(({ operationId }) => names.includes(operationId))).toEqual([]);
  expect(app.filter(({ security = [] }) => security.some((scheme) => 'personalToken' in scheme))).toEqual([]);
});

test('the document for programs has every path that SPEC names, and uploads', () => {
  const [, { paths }] = documents[0] as readonly [string, WholeDocument];
  expect(Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((m) => `${m} ${path}`))).toEqual(
    expect.arrayContaining([
      'post /api/agent/tools/posts.create',
      'get /api/agent/tools',
      'get /api/auth/tokens',
      'post /api/auth/tokens',
      'get /healthz',
      'get /readyz',
      'post /mcp',
      'get /.well-known/oauth-protected-resource/mcp',
      'post /api/media',
      'post /api/media/uploads',
      'post /upload/{ticket}',
    ]),
  );
});

describe.each(documents)('openapi/%s', (_, whole: WholeDocument) => {
  const answerOf = (answer: object) =>
    whole.components.responses[('$ref' in answer && String(answer.$ref).split('/').at(-1)) || ''] ?? answer;
  const operations = Object.values(whole.paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => ({
      ...operation,
      responses: Object.fromEntries(
        Object.entries(operation.responses).map(([status, answer]) => [status, answerOf(answer)]),
      ) as Operation['responses'],
    }));

  test('has an example of every body and answer, errors too', () => {
    const without = operations.flatMap(({ operationId, requestBody, responses }) =>
      Object.entries({ body: requestBody, ...responses }).flatMap(([place, part]) =>
        Object.entries(part?.content ?? {}).flatMap(([type, { example, examples }]) =>
          example !== undefined || examples !== undefined || type.startsWith('multipart/')
            ? []
            : [`${operationId} ${place} ${type}`],
        ),
      ),
    );
    expect(without).toEqual([]);
  });

  test('has examples of errors and events that their schemas accept', () => {
    for (const [code, schema] of Object.entries(errorSchemas)) {
      expect(schema.parse({ code, ...errorExamples[code as keyof typeof errorExamples] }).code).toBe(code);
    }
    for (const { schema, example } of Object.values(events)) expect(schema.parse(example)).toEqual(example);
  });

  test('has words for every tag', () => {
    const { tags } = whole as unknown as { tags: { description: string }[] };
    expect(tags.filter(({ description }) => description.startsWith('Actions of'))).toEqual([]);
  });

  test('shows every action in a shell, TypeScript and Python', () => {
    for (const operation of operations.filter(({ operationId }) => /^[a-z]+_/.test(operationId))) {
      expect(operation['x-codeSamples']?.map(({ lang }) => lang)).toEqual(['Shell', 'TypeScript', 'Python']);
    }
  });

  test('describes every operation, parameter and property', () => {
    const described = ({ $ref, description }: Described): boolean => {
      if (description) return true;
      const name = $ref?.split('/').at(-1);
      return name !== undefined && described(whole.components.schemas[name] as Described);
    };
    const without: string[] = [];
    const visit = (value: unknown, place: string) => {
      if (typeof value !== 'object' || value === null) return;
      const { operationId, in: isParameter, properties } = value as Described;
      const isTold = typeof operationId === 'string' || typeof isParameter === 'string';
      if (isTold && !described(value)) without.push(place);
      for (const [name, one] of Object.entries(properties ?? {})) {
        if (!described(one)) without.push(`${place}.${name}`);
      }
      for (const [name, inner] of Object.entries(value))
        if (!/^examples?$/.test(name)) visit(inner, `${place}/${name}`);
    };
    visit([whole.paths, whole.webhooks, whole.components], '');
    expect(without).toEqual([]);
  });
});

/** Detects a change of the document that breaks callers of the last release, before it reaches them. */

/** A copy of the document in which the values at these paths are replaced or removed. */
const changed = (...edits: (readonly [path: readonly string[], value?: unknown])[]) => {
  const copy = structuredClone(document);
  for (const [path, value] of edits) {
    let at = copy as unknown as Record<string, unknown>;
    for (const step of path.slice(0, -1)) at = at[step] as Record<string, unknown>;
    const last = path.at(-1) ?? '';
    if (value === undefined) delete at[last];
    else at[last] = value;
  }
  return breakingChanges(document, copy);
};

const actionAt = (name: string) => ['paths', `/api/agent/tools/${name}`];
const body = (name: string, ...more: string[]) => [
  ...actionAt(name),
  ...['post', 'requestBody', 'content', 'application/json', 'schema'],
  ...more,
];
const schema = (name: string, ...more: string[]) => ['components', 'schemas', name, ...more];

test('has what a token reaches and what webhooks get, and nothing of the app', () => {
  expect(Object.keys(document.paths)).toContain('/api/media/from-url');
  expect(Object.keys(document.paths).filter((path) => path.startsWith('/api/app/'))).toEqual([]);
  expect(Object.keys(document.webhooks ?? {})).toHaveLength(4);
  expect(breakingChanges(document, document)).toEqual([]);
});

test.each<[string, string[], unknown, string]>([
  ['an action that is gone', actionAt('posts.get'), undefined, 'posts_get is gone'],
  ['a field that is required now', body('posts.create', 'required'), ['body'], 'posts_create.body is required'],
  ['a field that is not taken', body('posts.list', 'properties', 'limit'), undefined, 'posts_list.limit is gone'],
  [
    'a value that is not taken',
    body('posts.list', 'properties', 'status', 'enum'),
    ['Draft', 'Scheduled', 'Publishing', 'Published'],
    'posts_list.status no longer takes Failed',
  ],
  [
    'a lower limit',
    body('posts.create', 'properties', 'body', 'maxLength'),
    10,
    'posts_create.body has another maxLength',
  ],
  [
    'a field that an answer lacks',
    schema('Post', 'properties', 'results'),
    undefined,
    'posts_get answer.results is gone',
  ],
  [
    'a field that an answer may lack',
    schema('Post', 'required'),
    ['id', 'status', 'accountIds', 'versions', 'results'],
    'posts_get answer.updatedAt may be absent',
  ],
  ['another type', schema('Post', 'properties', 'id', 'type'), 'integer', 'posts_get answer.id is another type'],
  ['an event that is gone', ['webhooks', 'ping'], undefined, 'on_ping is gone'],
  [
    'a field that an event lacks',
    schema('PingEvent', 'properties', 'createdAt'),
    undefined,
    'on_ping.createdAt is gone',
  ],
])('%s is noticed', (_, path, value, expected) => {
  expect(changed([path, value])).toContain(expected);
});

test('what is added breaks nobody', () => {
  const text = { type: 'string' };
  expect(
    changed(
      [body('posts.create', 'properties', 'colour'), text],
      [schema('Post', 'properties', 'colour'), text],
      [schema('Post', 'properties', 'status', 'enum'), ['Paused', 'Draft']],
      [actionAt('posts.copy'), { post: { operationId: 'posts_copy' } }],
    ),
  ).toEqual([]);
});

describe('a member that an exported type of an SDK loses is noticed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-sdk-types-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A copy of an SDK in which the text of a file is changed. */
  const changedSdk = (sdk: string, file: string, ...[from, to]: [from: string | RegExp, to: string]) => {
    const copy = join(folder, sdk);
    cpSync(join('packages', sdk), copy, { recursive: true });
    const text = readFileSync(join(copy, file), 'utf8');
    expect(text).toMatch(from);
    writeFileSync(join(copy, file), text.replace(from, to));
    return copy;
  };

  test('in TypeScript, also where it may be undefined now', () => {
    const before = { sdk: typescriptTypes('packages/sdk') };
    expect(before.sdk.PosthornError).toContain('code?');
    const lost = changedSdk('sdk', 'src/posthorn-error.ts', /^ {2}declare readonly code: .*\n/m, '');
    expect(breakingTypes(before, { sdk: typescriptTypes(lost) })).toContain('sdk PosthornError.code is gone');
    const optional = changedSdk('sdk', 'src/generated/types.ts', /(?<=interface Badge \{[^}]*)color: /, 'color?: ');
    expect(breakingTypes(before, { sdk: typescriptTypes(optional) })).toEqual(['sdk Badge.color may be undefined']);
  });

  test('in Python', () => {
    const before = { sdk: pythonTypes('packages/python/posthorn') };
    expect(before.sdk.ConflictError).toContain('request_id');
    const lost = changedSdk('python/posthorn', '_generated/client.py', 'def publish_now(', 'def publish(');
    expect(breakingTypes(before, { sdk: pythonTypes(lost) })).toEqual(['sdk PostsApi.publish_now is gone']);
  });
});

test('only what stands below Breaking of the next release is declared', () => {
  const lines = [
    '# C',
    '## Unreleased',
    '- `a`',
    '### Breaking',
    '- `b is gone`: use c.',
    '## 0.1.0',
    '### Breaking',
    '- `d`: e.',
  ];
  expect(declaredIn(`${lines.join('\n\n')}\n`)).toEqual(['b is gone']);
});
