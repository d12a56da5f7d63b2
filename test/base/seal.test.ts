import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createMovableClock } from '#server/base/clock';
import { readConfig } from '#server/base/config/config';
import { html } from '#server/base/pages/html';
import { findLostSecrets, findLostSecretsQuickly } from '#server/base/secrets/lost-secrets';
import { createResealing } from '#server/base/secrets/resealing';
import { createSeal, type Seal } from '#server/base/secrets/seal';
import { sql } from '#server/base/store/database';
import { generateKey } from '#server/wiring/cli/keys';
import { openPosthorn } from '#test/support/posthorn';
import { type Service, startService } from '#test/support/service';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

describe('what is stored sealed', () => {
  const [old, fresh] = [key('k1'), key('k2')];
  const place = 'accounts:acct_1:token';

  test('is opened in its place, also with newer keys before its own', () => {
    const sealed = createSeal([old]).seal('grüße', place);
    expect(createSeal([fresh, old]).open(sealed, place)).toBe('grüße');
    expect(createSeal([fresh, old]).seal('x', place)).toMatch(/^v1\.k2\./);
  });

  test('tells the same text differently each time', () => {
    const seal = createSeal([old]);
    expect(seal.seal('x', place)).not.toBe(seal.seal('x', place));
  });

  test('is not opened in another place, with another key, changed or cut', () => {
    const seal = createSeal([old]);
    const sealed = seal.seal('a secret', place);
    expect(() => seal.open(sealed, 'accounts:acct_2:token')).toThrow();
    expect(() => createSeal([fresh]).open(sealed, place)).toThrow('sealed with the key "k1"');
    expect(() => createSeal([key('k1')]).open(sealed, place)).toThrow('another key named "k1"');
    expect(() =>
      seal.open(`${sealed.slice(0, 12)}${sealed[12] === 'A' ? 'B' : 'A'}${sealed.slice(13)}`, place),
    ).toThrow();
    expect(() => seal.open(sealed.slice(0, -16), place)).toThrow();
    expect(() => seal.open('v1.k1.', place)).toThrow();
    expect(() => seal.open('v2.k1.AAAA', place)).toThrow();
  });

  test('takes its keys from ENCRYPTION_KEYS, and a wrong one is not repeated', () => {
    expect(readConfig({ ENCRYPTION_KEYS: `${fresh}, ${old}` }).encryptionKeys).toEqual([fresh, old]);
    expect(() => readConfig({ ENCRYPTION_KEYS: 'k1:hunter2' })).toThrow(/^ENCRYPTION_KEYS\.0 must be <key id>/);
    expect(() => readConfig({ ENCRYPTION_KEYS: 'k1:hunter2' })).not.toThrow('hunter2');
  });
});

/** Writes an encrypted value into every sealed column. */
const sealEverywhere = async (service: Service) => {
  const { posthorn, owner } = service;
  const account = await service.connect('mastodon');
  const caller = { ...owner, role: 'owner', mayPublish: true, isPerson: true } as const;
  await posthorn.connecting.begin(caller, 'x', {});
  const hook = await posthorn.webhooks.add(caller, {
    url: 'https://example.com/hook',
    events: ['post.published'],
  });
  await posthorn.webhooks.rotateSecret(caller, hook.id);
  const browser = service.browser();
  await browser.signIn();
  const keys = { p256dh: Buffer.concat([Buffer.from([4]), randomBytes(64)]), auth: randomBytes(16) };
  const subscription = {
    endpoint: 'https://push.example.com/one',
    keys: { p256dh: keys.p256dh.toString('base64url'), auth: keys.auth.toString('base64url') },
  };
  const { body } = await browser.post('/api/app/push-browsers', subscription);
  await browser.post('/api/app/totp/begin', { password: 'correct horse' });
  await service.database.run(
    sql(
      'test.networkKeys',
      'insert into network_keys (id, sealed_values, updated_at, updated_by) values ($1, $2, now(), $3)',
    ),
    ['X_CLIENT_ID', service.seal.seal('{}', 'network_keys:X_CLIENT_ID:sealed_values'), owner.userId],
  );
  await posthorn.push.publicKey();
  await posthorn.receipts.keys();
  const shown = { title: 'Hello', body: '', path: '/', about: 'x', urgency: 'normal' } as const;
  const browserId = body.browsers[0].id as string;
  // More rows than one batch reads.
  const message = { purpose: 'notification', push: shown, browserId, livesMs: 60_000 } as const;
  await posthorn.messages.add(Array.from({ length: 150 }, () => message));
  return { account, caller, hook };
};

describe('after a change of the keys', () => {
  const [old, fresh] = [key('k1'), key('k2')];

  /** The tables and columns that the code encrypts, taken from the names it passes to the seal. */
  const sealedInCode = () => {
    const all = readdirSync('server', { recursive: true, encoding: 'utf8' });
    const files = all.filter((file) => file.endsWith('.ts') && !file.startsWith('base/secrets/'));
    const texts = files.map((file) => readFileSync(join('server', file), 'utf8'));
    const places = texts.flatMap((text) => [...text.matchAll(/[`']([a-z_]+):(?:\$\{[^`]+\}|[a-z-]+):([a-z_]+)[`']/g)]);
    return [...new Set(places.map(([, table, column]) => `${table}.${column}`))]
      .filter((place) => place !== 'cookie.state')
      .sort();
  };

  /** In the database: every column that holds a text sealed with this key. */
  const sealedWith = async ({ database }: Awaited<ReturnType<typeof startService>>, id: string) => {
    const columns = await database.query(
      sql(
        'test.columns',
        `select table_name as "table", column_name as "column" from information_schema.columns
          where table_schema = 'public' and data_type = 'text' order by 1, 2`,
      ).holds<{ table: string; column: string }>(),
    );
    const found: string[] = [];
    for (const { table, column } of columns) {
      const any = sql(`test.sealed.${table}.${column}`, `select from ${table} where ${column} like $1 limit 1`);
      if ((await database.query(any, [`v1.${id}.%`])).length > 0) found.push(`${table}.${column}`);
    }
    return found;
  };

  test('every sealed column is sealed anew, none is forgotten, and what another process wrote meanwhile stays', async () => {
    const service = await startService({ ENCRYPTION_KEYS: old }, { ownAddress: true });
    onTestFinished(() => service.stop());
    const { posthorn, database } = service;
    const { account } = await sealEverywhere(service);

    const all = posthorn.resealing.columns.toSorted();
    expect(all).toEqual(sealedInCode());
    expect(await sealedWith(service, 'k1')).toEqual(all);

    const seal = createSeal([fresh, old]);
    const read = sql('test.tokens', 'select tokens from accounts where id = $1').holds<{ tokens: string }>();
    const tokens = async () => (await database.query(read, [account]))[0]?.tokens ?? '';
    const place = `accounts:${account}:tokens`;
    const overwritten: string[] = [];
    const raced = posthorn.sealed.map((column) => ({
      ...column,
      replace: async (id: string, before: string, sealed: string) => {
        await column.replace(id, before, seal.seal('newer', `${column.table}:${id}:${column.column}`));
        const isOverwritten = await column.replace(id, before, sealed);
        if (isOverwritten) overwritten.push(`${column.table}.${column.column}`);
        return isOverwritten;
      },
    }));
    const faults: unknown[] = [];
    const report = (error: unknown) => void faults.push(error);
    const resealed = (seal: Seal) => createResealing({ columns: posthorn.sealed, seal, report });
    await createResealing({ columns: raced, seal, report }).run();
    expect(overwritten).toEqual([]);
    expect(seal.open(await tokens(), place)).toBe('newer');
    expect(await sealedWith(service, 'k1')).toEqual([]);
    expect(await sealedWith(service, 'k2')).toEqual(all);
    expect(await resealed(seal).state()).toEqual([
      { key: 'k2', count: expect.any(Number), isKnown: true },
      { key: 'k1', count: 0, isKnown: true },
    ]);

    // With only the new key every value is re-encrypted. With a wrong key none is, which is reported once per column.
    await resealed(createSeal([key('k3'), fresh])).run();
    expect(faults).toEqual([]);
    expect(await sealedWith(service, 'k3')).toEqual(all);
    await resealed(createSeal([key('k4')])).run();
    expect(faults).toHaveLength(all.length);
    expect(await sealedWith(service, 'k3')).toEqual(all);
  });
});

describe('a lost key', () => {
  const [lost, fresh] = [key('k1'), key('k1')];

  /** The same installation with a different key of the same name, as after a key was lost. */
  const withoutKey = async (service: Service) => {
    const { database, outbound, config, log, ownUrl } = service;
    const seal = createSeal([fresh]);
    const clock = createMovableClock();
    return { seal, posthorn: openPosthorn({ database, outbound, seal, config, clock, log, ownUrl }) };
  };

  test('is found by opening what is stored, and everything that it sealed is discarded, to be made anew', async () => {
    const service = await startService({ ENCRYPTION_KEYS: lost }, { ownAddress: true });
    onTestFinished(() => service.stop());
    const { database, owner } = service;
    const { account, caller, hook } = await sealEverywhere(service);
    await service.posthorn.webhooks.test(caller, hook.id);
    const pushKey = await service.posthorn.push.publicKey();
    const { seal, posthorn } = await withoutKey(service);
    const found = await findLostSecrets(posthorn.sealed, seal);
    expect(await findLostSecretsQuickly(posthorn.sealed, seal)).toEqual(found);
    expect(await findLostSecrets(posthorn.sealed, service.seal)).toBeUndefined();
    expect(await findLostSecretsQuickly(posthorn.sealed, service.seal)).toBeUndefined();
    // The same where the key is not there at all.
    expect(await findLostSecretsQuickly(posthorn.sealed, undefined)).toEqual(found);

    const discarded = await posthorn.discardLostSecrets();
    expect(discarded).toEqual(found);
    expect(discarded?.counts.map(({ noun }) => noun).toSorted()).toEqual(
      posthorn.sealed.map(({ noun }) => noun).toSorted(),
    );
    expect(await findLostSecrets(posthorn.sealed, seal)).toBeUndefined();

    // Accounts wait for a person, who is notified of the reason.
    const [connected] = await posthorn.accounts.list(caller);
    expect(connected).toMatchObject({ id: account, status: 'NeedsReconnect' });
    const told = await database.query(
      sql('test.told', 'select kind, detail from notifications where workspace_id = $1 order by kind').holds<{
        kind: string;
        detail: string;
      }>(),
      [owner.workspaceId],
    );
    expect(told.map(({ kind }) => kind)).toEqual(['account.reconnect', 'webhook.paused']);
    expect(told[0]?.detail).toMatch(/^Its access was lost with the encryption key of this server\. Posts to/);

    // Webhooks are paused, because receivers would refuse the deliveries, and a person can create a new secret there.
    const paused = await posthorn.webhooks.get(caller, hook.id);
    expect(paused).toMatchObject({ state: 'paused', reason: expect.stringContaining('signing secret was lost') });
    expect(paused.oldSecretUntil).toBeUndefined();
    const [delivery] = await posthorn.webhooks.deliveries(caller, hook.id);
    expect(delivery).toMatchObject({ state: 'failed', lastAnswer: expect.stringContaining('paused') });
    expect((await posthorn.webhooks.rotateSecret(caller, hook.id)).secret).toMatch(/^whsec_/);
    expect((await posthorn.webhooks.resume(caller, hook.id)).state).toBe('active');

    // New push keys are created on demand, browsers subscribe again with them, and unsent messages have ended.
    const left = await database.query(
      sql(
        'test.left',
        `select 'push_subscriptions' as table, count(*)::int from push_subscriptions
          union all select 'connections', count(*)::int from connections
          union all select 'network_apps', count(*)::int from network_apps
          union all select 'signing_keys', count(*)::int from signing_keys
          union all select 'due messages', count(*)::int from messages where due_at is not null and channel = 'push'`,
      ).holds<{ table: string; count: number }>(),
    );
    expect(left.filter(({ count }) => count > 0)).toEqual([]);
    expect(await posthorn.push.publicKey()).not.toBe(pushKey);
  });

  test('leaves alone what another key opens', async () => {
    const service = await startService({ ENCRYPTION_KEYS: lost }, { ownAddress: true });
    onTestFinished(() => service.stop());
    await sealEverywhere(service);
    expect(await service.posthorn.discardLostSecrets()).toBeUndefined();
    const caller = { ...service.owner, role: 'owner', mayPublish: true, isPerson: true } as const;
    expect(await service.posthorn.accounts.list(caller)).toMatchObject([{ status: 'Connected' }]);
  });
});

describe('a page', () => {
  test('shows values as text, and only its own parts as HTML', () => {
    const inner = html`<b>${'<i>'}</b>`;
    expect(String(html`<p title="${`"'`}">${inner}${['&', inner]}${false}${undefined}${0}</p>`)).toBe(
      '<p title="&quot;&#39;"><b>&lt;i&gt;</b>&amp;<b>&lt;i&gt;</b>0</p>',
    );
  });
});

test('keys generate prints a value that ENCRYPTION_KEYS accepts, and creates nothing', async () => {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  try {
    await generateKey(readConfig({}), {}, []);
  } finally {
    log.mockRestore();
  }
  expect(readConfig({ ENCRYPTION_KEYS: lines[0] }).encryptionKeys).toEqual(lines);
});
