import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { actions, catalog } from '#generated/catalog';
import { type Service, startService } from '#test/support/service';

/** Every action against typical mistakes and attacks. New actions are covered automatically. */

let service: Service;
let valid: Record<string, Record<string, unknown>>;
let snapshot: unknown;

beforeAll(async () => {
  service = await startService();
  const account = await service.addAccount('bluesky');
  const { id } = await service.client.posts.create({ body: 'Hello', accountIds: [account] });
  // Replaces the ids in the contract's examples with ids of existing records.
  const aim = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll(/post_[0-9A-Z]{26}/g, id)
        .replaceAll(/acct_[0-9A-Z]{26}/g, account),
    );
  valid = Object.fromEntries(
    Object.entries(actions).map(([name, { examples }]) => {
      const { baseUpdatedAt: _, ...input } = aim(examples[0]?.input) as Record<string, unknown>;
      return [name, input];
    }),
  );
  snapshot = await everything();
});
afterAll(() => service.stop());

const everything = async () => [
  await service.client.posts.list({ limit: 100 }),
  await service.client.accounts.list(),
  await service.client.ui.getContext(),
];

const fieldsOf = (name: string) => {
  const schema = catalog.find((entry) => entry.name === name)?.inputSchema as {
    properties: Record<string, { type?: string }>;
    required?: string[];
  };
  const all = Object.keys(schema.properties);
  const switches = all.filter((field) => schema.properties[field]?.type === 'boolean');
  return { all, switches, required: schema.required ?? [] };
};

const expectRefused = async (name: string, body: unknown, path: string | RegExp, headers = {}) => {
  const answer = await service.call(name, body, headers);
  expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 400, code: 'BadInput' });
  expect(answer.body.issues[0].path).toMatch(path);
  expect(answer.body.message).toBe(`${answer.body.issues[0].path} ${answer.body.issues[0].message}`);
  expect(answer.body.issues.every((issue: object) => 'code' in issue && 'message' in issue)).toBe(true);
  expect(answer.headers.get('x-request-id')).toBeTruthy();
};

describe.each(Object.keys(actions))('%s', (name) => {
  test.each([
    ['no token', {}],
    ['an empty token', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['a token of the wrong shape', { authorization: 'Bearer nonsense' }],
    ['a token with a wrong checksum', { authorization: `Bearer posthorn_pat_${'a'.repeat(42)}` }],
    ['an access token of an MCP client', { authorization: 'Bearer eyJhbGciOiJFUzI1NiJ9.e30.AA' }],
  ])('with %s is 401 Unauthorized', async (_what, headers) => {
    const {
      status,
      body,
      headers: answered,
    } = await service.request('POST', `/api/agent/tools/${name}`, {
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(valid[name]),
    });
    expect({ status, code: body.code, issues: body.issues }).toEqual({ status: 401, code: 'Unauthorized', issues: [] });
    expect(answered.get('www-authenticate')).toMatch(/^Bearer/);
  });

  test('with a revoked token is 401 Unauthorized', async () => {
    const { id, token } = await service.posthorn.tokens.create(service.owner, 'Short');
    await service.posthorn.tokens.revoke(id);
    const { status } = await service.call(name, valid[name], { authorization: `Bearer ${token}` });
    expect(status).toBe(401);
  });

  test.each([
    ['null', 'null'],
    ['an array', '[]'],
    ['a number', '42'],
    ['a text', '"text"'],
    ['true', 'true'],
  ])('with %s as body is BadInput naming the body', (_what, body) => expectRefused(name, body, /^body$/));

  test('with something that is not JSON is BadInput', async () => {
    for (const body of ['{', '{"a":}', 'a=b', "{'a':1}", '{"a":1}{']) await expectRefused(name, body, /^body$/);
  });

  test('with bytes that are not UTF-8 is BadInput', () =>
    expectRefused(name, new Blob([new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])]), /^body$/));

  test('with another content type is BadInput', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16']) {
      await expectRefused(name, '{}', /^Content-Type$/, { 'content-type': type });
    }
    await expectRefused(name, '{}', /^Content-Encoding$/, { 'content-encoding': 'gzip' });
  });

  test('with a body of 2 MiB is BadInput', () =>
    expectRefused(name, `{"body":"${'a'.repeat(2 * 1024 * 1024)}"}`, /^body$/));

  test('nested 10,000 or 100,000 deep is BadInput', async () => {
    for (const [depth, path] of [
      [10_000, /^a/],
      [100_000, /^body$/],
    ] as const) {
      await expectRefused(name, `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`, path);
      await expectRefused(name, `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`, path);
    }
  });

  test('with an unknown field is BadInput naming it', async () => {
    await expectRefused(name, { ...valid[name], surprise: 1 }, /^surprise$/);
    await expectRefused(name, { ...valid[name], constructor: { prototype: { polluted: 1 } } }, /^constructor$/);
  });

  test('with __proto__ is BadInput naming it and pollutes nothing', async () => {
    const input = JSON.stringify(valid[name]);
    await expectRefused(
      name,
      input.replace('{', `{"__proto__":{"polluted":1}${input === '{}' ? '' : ','}`),
      /^__proto__$/,
    );
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test('without a field that it needs is BadInput naming it', async () => {
    for (const field of fieldsOf(name).required) {
      const { [field]: _, ...rest } = valid[name] ?? {};
      await expectRefused(name, rest, new RegExp(`^${field}$`));
    }
  });

  test('with a field of the wrong type is BadInput naming it', async () => {
    const { all, switches } = fieldsOf(name);
    for (const field of all) {
      for (const wrong of [null, { a: 1 }, switches.includes(field) ? 'true' : true, [[]], 1.5]) {
        await expectRefused(name, { ...valid[name], [field]: wrong }, new RegExp(`^${field}(\\.|$)`));
      }
    }
  });

  test('with NUL or half a surrogate pair anywhere is BadInput naming the field', async () => {
    for (const field of fieldsOf(name).all) {
      for (const bad of ['\\u0000', 'a\\ud800b', '\\udfff']) {
        const rest = JSON.stringify({ ...valid[name], [field]: 'PLACE' });
        await expectRefused(name, rest.replace('PLACE', bad), new RegExp(`^${field}$`));
      }
    }
    await expectRefused(name, '{"a\\u0000b":1}', /^a/);
  });

  test('with an id of another workspace finds nothing, or needs approval, or names the field', async () => {
    const other = await service.addWorkspace();
    const headers = { authorization: `Bearer ${other.token}` };
    const { status, body } = await service.call(name, valid[name], headers);
    const aimed = JSON.stringify(valid[name]).match(/(post|acct)_/);
    const shown = JSON.stringify(body);
    if (!aimed) expect(status).toBe(200);
    else if (status !== 200) expect(['NotFound', 'ApprovalRequired', 'BadInput']).toContain(body.code);
    expect(shown).not.toContain('Hello');
  });

  test('with Infinity or a huge number is BadInput, not a fault', async () => {
    for (const field of fieldsOf(name).all) {
      await expectRefused(
        name,
        JSON.stringify({ ...valid[name], [field]: 0 }).replace(/:0\b/, ':1e999'),
        new RegExp(`^${field}`),
      );
    }
  });
});

test('none of it saved anything or was a fault of the server', async () => {
  expect(await everything()).toEqual(snapshot);
  expect(service.logLines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
});

test('examples aimed at existing records are answered as the contract says', async () => {
  for (const [name, { kind, output }] of Object.entries(actions)) {
    const { status, body } = await service.call(name, valid[name]);
    if (kind === 'NeedsApproval') expect(body.code).toBe('ApprovalRequired');
    else {
      expect({ name, status }).toEqual({ name, status: 200 });
      z.strictObject(output.shape).parse(body);
    }
  }
});
