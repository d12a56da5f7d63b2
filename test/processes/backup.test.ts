import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Posthorn as Client } from '#packages/sdk/src/index';
import { findAction, runNow } from '#server/agents/admission';
import { systemClock } from '#server/base/clock';
import { type Config, readConfig } from '#server/base/config/config';
import { openDatabase, sql } from '#server/base/store/database';
import { migrate, pendingIn } from '#server/base/store/migrate';
import { migrations } from '#server/base/store/migrations/index';
import { type Backup, makeBackup } from '#server/operation/backup/backup';
import { createBackupList } from '#server/operation/backup/backup-list-store';
import { createBackups } from '#server/operation/backup/backups';
import { restoreBackup } from '#server/operation/backup/restore';
import { connectInSandbox } from '#server/simulation/sandbox/sign-up';
import { type RunningService, start } from '#server/wiring/main';
import { type FreshDatabase, freshDatabase, urlOf } from '#test/support/database';
import { freePort } from '#test/support/processes';
import { startS3 } from '#test/support/s3';
import { until } from '#test/support/until';

const keys = `k1:${randomBytes(32).toString('base64')}`;
const quiet = () => undefined;
let folder: string;
const databases: FreshDatabase[] = [];

/** An empty database and an empty folder, with the same keys unless said otherwise. */
const emptyPlace = async (settings: NodeJS.ProcessEnv = {}): Promise<Config & { database: FreshDatabase }> => {
  const database = await freshDatabase();
  databases.push(database);
  const config = readConfig({
    PORT: String(await freePort()),
    POSTHORN_DATA: await mkdtemp(join(folder, 'data-')),
    DATABASE_URL: urlOf(database.parts),
    LOG_LEVEL: 'error',
    REQUESTS_PER_MINUTE: '100000',
    ENCRYPTION_KEYS: keys,
    ...settings,
  });
  return { ...config, database };
};

const backUp = (config: Config, name: string, withKeys = false) =>
  makeBackup(config, join(folder, name), { withKeys, clock: systemClock, progress: quiet });

const tables = async ({ database: { parts } }: { database: FreshDatabase }) => {
  const database = openDatabase(parts, { report: quiet });
  const rows = await database.query(
    sql(
      'test.tables',
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    ).holds<{ name: string }>(),
  );
  await database.close();
  return rows.map(({ name }) => name);
};

/** The checksum of each part, as the system's own tools see them. */
const sums = (path: string) =>
  execFileSync('tar', ['-xOf', path, 'SHA256SUMS'], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')
    .filter((line) => !line.endsWith('manifest.json'))
    .sort();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-backup-'));
});
afterAll(async () => {
  for (const { drop } of databases) await drop();
  await rm(folder, { recursive: true });
});

describe('a backup taken under load', () => {
  let source: Awaited<ReturnType<typeof emptyPlace>>;
  let service: RunningService;
  let token: string;
  let backup: Backup;
  const before: string[] = [];
  const fittedId = `fit_${'0'.repeat(32)}`;
  const fitted = [fittedId, `${fittedId}.thumbnail`];
  let owner: { userId: string; workspaceId: string };

  const clientOf = (url: string) => new Client({ token: () => token, baseUrl: url, maxRetries: 0 });
  /** A person's own click. */
  const asHuman = async ({ posthorn }: RunningService, name: string, input: object) => {
    const action = findAction(posthorn.actions, name);
    return (await runNow(action, action.admit(input, { ...owner, role: 'owner', mayPublish: true, isPerson: true })))
      .value;
  };
  const upload = async (url: string) => {
    const form = new FormData();
    const noise = { create: { width: 64, height: 64, channels: 3, background: '#8a4b08' } } as const;
    form.set('file', new Blob([new Uint8Array(await sharp(noise).jpeg().toBuffer())], { type: 'image/jpeg' }), 'a.jpg');
    const init = { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: form };
    return ((await (await fetch(`${url}/api/media`, init)).json()) as { id: string }).id;
  };

  beforeAll(async () => {
    source = await emptyPlace();
    service = await start(source);
    const { posthorn, url } = service;
    owner = await posthorn.people.setUp({ email: 'owner@example.com', password: 'correct horse', workspace: 'Demo' });
    ({ token } = await posthorn.tokens.create(owner, 'Test'));
    await posthorn.sandboxClock.forward(3_600_000);
    const caller = { ...owner, role: 'owner', mayPublish: true, isPerson: true } as const;
    const accountId = await connectInSandbox(posthorn, caller, 'bluesky', { handle: 'anna', here: (to) => to });
    const client = clientOf(url);
    const odd = 'tab\t, line\n, backslash \\N \\. and 🥨';
    for (let i = 0; i < 20; i++) {
      const { id } = await client.posts.create({ body: `${odd} ${i}`, accountIds: [accountId] });
      before.push(id);
    }
    const files: string[] = [];
    for (let i = 0; i < 12; i++) files.push(await upload(url));
    await asHuman(service, 'posts.publishNow', { id: before[0] });
    const direct = openDatabase(source.database.parts, { report: quiet });
    await direct.run(
      sql(
        'test.fittedFile',
        `insert into renditions (id, workspace_id, media_id, mode, target, recipe, mime_type, bytes, width, height, sha256)
         values ($1, $2, $3, 'shrink', '{}', 1, 'image/jpeg', 1, 1, 1, '')`,
      ),
      [fittedId, owner.workspaceId, files[0]],
    );
    await direct.close();
    for (const name of fitted) await writeFile(join(source.dataDir, 'media', name), 'a');

    // People write, publish, upload and delete while it is taken.
    let stopped = false;
    const load = async (work: (turn: number) => Promise<unknown>) => {
      for (let turn = 0; !stopped; turn++) await work(turn);
    };
    const busy = [
      load((turn) => client.posts.create({ body: `during ${turn}`, accountIds: [accountId] })),
      load(async (turn) => {
        const id = before[1 + (turn % 19)];
        await client.posts.setVersionText({ id: id ?? '', body: `changed ${turn}` });
      }),
      load(async (turn) => {
        const { id } = await client.posts.create({ body: `out ${turn}`, accountIds: [accountId] });
        await asHuman(service, 'posts.publishNow', { id });
      }),
      load(async () => files.push(await upload(url))),
    ];
    // Its row is already in the snapshot, but the file is gone by the time the backup reads it.
    await rm(join(source.dataDir, 'media', files[5] ?? ''));
    backup = await backUp(source, 'one.tar');
    stopped = true;
    await Promise.all(busy);
    await service.stop();
  });

  test('holds every table of Posthorn, and what was there before it began', async () => {
    const names = backup.tables.map(({ name }) => name);
    expect(names.toSorted()).toEqual(
      (await tables(source)).filter((name) => !/^(agenda_.*|schema_migrations)$/.test(name)).toSorted(),
    );
    expect(backup.leftOut).toEqual([]);
    const rows = Object.fromEntries(backup.tables.map(({ name, rows }) => [name, rows]));
    expect(rows.posts).toBeGreaterThanOrEqual(before.length);
    expect(rows.media).toBeGreaterThanOrEqual(12);
    expect(backup.media.missing).toHaveLength(1);
    expect(backup.media.files).toBe(2 * (rows.media ?? 0) + fitted.length - 1);
    const parts = sums(backup.path).map((line) => line.slice(66));
    expect(parts).toEqual(expect.arrayContaining(fitted.map((name) => `media/${name}`)));
  });

  test('is a tar file whose parts fit their checksums, for the tools of the system', async () => {
    const out = await mkdtemp(join(folder, 'tar-'));
    execFileSync('tar', ['-xf', backup.path, '-C', out]);
    expect(execFileSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: out, encoding: 'utf8' })).toMatch(
      /manifest\.json: OK/,
    );
    const text = await readFile(join(out, 'manifest.json'), 'utf8');
    expect(text).not.toContain(keys.slice(3));
    expect(await readdir(out)).not.toContain('secrets.json');
  });

  test('restored into an empty database and an S3 store, it is equal to the byte, and the service works there', async () => {
    const s3 = await startS3({ pageSize: 1000 });
    const target = await emptyPlace(s3.settings);
    const restored = await restoreBackup(target, backup.path, quiet);
    expect(restored.tables).toEqual(backup.tables);
    const again = await backUp(target, 'again.tar');
    // The restore adds an outgoing hold: nothing goes out until a person releases it.
    const isCopied = (line: string) => !/(outgoing_holds|held_work)\.copy\.gz$/.test(line);
    expect(sums(again.path).filter(isCopied)).toEqual(sums(backup.path).filter(isCopied));
    expect(again.tables.find(({ name }) => name === 'outgoing_holds')?.rows).toBe(1);

    const running = await start(target);
    const client = clientOf(running.url);
    // Its clock is as far ahead as that of the old one was.
    expect(
      Math.abs(running.posthorn.sandboxClock.now().getTime() - systemClock.now().getTime() - 3_600_000),
    ).toBeLessThan(60_000);
    const aheadSeconds = sql(
      'test.ahead',
      'select extract(epoch from posthorn_now() - clock_timestamp())::int as ahead',
    );
    const database = openDatabase(target.database.parts, { report: quiet });
    expect(await database.query(aheadSeconds)).toEqual([{ ahead: 3600 }]);
    await database.close();
    const ids = (await allPosts(client)).map(({ id }) => id);
    for (const id of before) expect(ids).toContain(id);
    await running.posthorn.hold.release(owner.userId, 'req_test');
    // Secrets can be decrypted, due work is claimed and sequences continue: a post goes out.
    const { accounts } = await client.accounts.list();
    const { id } = await client.posts.create({ body: 'after', accountIds: [accounts[0]?.id ?? ''] });
    await asHuman(running, 'posts.publishNow', { id });
    await until('it is published', async () => (await client.posts.get({ id })).status === 'Published');
    expect(JSON.stringify(await running.posthorn.sandboxes.feed('bluesky', 1))).toContain('after');
    expect(await upload(running.url)).toMatch(/^media_/);
    const { media } = await client.media.list({ limit: 100 });
    const bytes = Buffer.from(await (await fetch(media.at(-1)?.url ?? '')).arrayBuffer());
    const stored = await readFile(join(source.dataDir, 'media', media.at(-1)?.id ?? ''));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(createHash('sha256').update(stored).digest('hex'));
    expect(await tables(target)).toContain('agenda_jobs');
    await running.stop();
    s3.stop();
  });

  const refusals: [string, RegExp, (path: string) => Promise<Config | undefined>][] = [
    ['that is cut off', /it has no end, so it was cut off/, async (path) => void (await truncate(path, 20_000))],
    [
      'of which one byte was changed',
      /was changed/,
      async (path) => {
        const bytes = await readFile(path);
        const at = bytes.indexOf('tables/posts.copy.gz') + 512 + 30;
        bytes.writeUInt8((bytes.readUInt8(at) + 1) % 256, at);
        await writeFile(path, bytes);
        return undefined;
      },
    ],
    [
      'of which a part is missing',
      /its part tables\/posts\.copy\.gz is missing/,
      (path) => rebuild(path, {}, 'tables/posts.copy.gz'),
    ],
    [
      'that is no backup',
      /is no backup of Posthorn|cut off/,
      async (path) => void (await writeFile(path, 'x'.repeat(5000))),
    ],
    [
      'sealed with other keys',
      /was sealed with the key k1, which is not the one here\. .+ENCRYPTION_KEYS/,
      () => emptyPlace({ ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}` }),
    ],
    ['whose keys are not here', /which is not here\. Put the secrets\.json/, () => emptyPlace({ ENCRYPTION_KEYS: '' })],
    [
      'of a newer release',
      /is of Posthorn 9\.0\.0, whose database has the migration 999 "future"/,
      (path) => rebuild(path, { posthorn: '9.0.0', migration: { number: 999, name: 'future' } }),
    ],
    ['in a newer format', /has the format 2 of Posthorn/, (path) => rebuild(path, { format: 2 })],
    [
      'for a store that has other files',
      /The store for media is not empty: .+ has media_\w+, which is not of this backup/,
      async () => {
        const place = await emptyPlace();
        await cp(join(source.dataDir, 'media'), join(place.dataDir, 'media'), { recursive: true });
        await writeFile(join(place.dataDir, 'media', 'media_of_somebody'), 'x');
        return place;
      },
    ],
  ];

  /** Repacks the archive with tar, with a changed manifest or without one part. */
  const rebuild = async (path: string, change: object, without?: string) => {
    const dir = await mkdtemp(join(folder, 'change-'));
    execFileSync('tar', ['-xf', path, '-C', dir]);
    const file = join(dir, 'manifest.json');
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), ...change }));
    const names = sums(path).map((line) => line.slice(66));
    const lines = execFileSync('sha256sum', [...names, 'manifest.json'], { cwd: dir });
    await writeFile(join(dir, 'SHA256SUMS'), lines);
    const parts = [...names, 'manifest.json', 'SHA256SUMS'].filter((name) => name !== without);
    execFileSync('tar', ['--format=ustar', '-cf', path, ...parts], { cwd: dir });
    return undefined;
  };

  test.each(refusals)('%s is refused, and nothing is touched', async (_, words, spoil) => {
    const path = join(folder, `spoilt-${randomBytes(4).toString('hex')}.tar`);
    await cp(backup.path, path);
    const place = ((await spoil(path)) ?? (await emptyPlace())) as Awaited<ReturnType<typeof emptyPlace>>;
    const files = await readdir(place.dataDir, { recursive: true });
    await expect(restoreBackup(place, path, quiet)).rejects.toThrow(words);
    expect(await tables(place)).toEqual([]);
    expect((await readdir(place.dataDir, { recursive: true })).filter((name) => name !== 'media')).toEqual(
      files.filter((name) => name !== 'media'),
    );
  });

  test('a database that is in use is refused', async () => {
    await expect(restoreBackup(source, backup.path, quiet)).rejects.toThrow(
      /^This database is not empty: it has the table \w+ and \d+ more/,
    );
  });

  test('a restore that breaks off leaves an empty database, and works at the second try', async () => {
    const target = await emptyPlace();
    const broken = (text: string) => {
      if (text.startsWith('File 3 of')) throw new Error('the power went');
    };
    await expect(restoreBackup(target, backup.path, broken)).rejects.toThrow('the power went');
    expect(await tables(target)).toEqual([]);
    await restoreBackup(target, backup.path, quiet);
    const second = sums((await backUp(target, 'second.tar')).path);
    const isCopied = (line: string) => !/(outgoing_holds|held_work)\.copy\.gz$/.test(line);
    expect(second.filter(isCopied)).toEqual(sums(backup.path).filter(isCopied));
  });
});

const allPosts = async (client: Client) => {
  const posts = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.posts.list({ limit: 100, ...(cursor && { cursor }) });
    posts.push(...page.posts);
    cursor = page.nextCursor;
    if (cursor === undefined) return posts;
  }
};

test('a backup with the keys brings them along, and an older database is migrated', async () => {
  const old = await emptyPlace();
  const database = openDatabase(old.database.parts, { report: quiet });
  await migrate(database, migrations.slice(0, 12));
  // Rules of that time wrote rows of their own.
  await database.script(`
    insert into workspaces (id, name) values ('ws_1', 'Demo');
    insert into accounts (id, workspace_id, network, external_id, name, handle) values ('acct_1', 'ws_1', 'x', 'e', 'N', 'h');
    insert into posts (id, workspace_id, status, account_ids, versions, created_by)
      values ('post_1', 'ws_1', 'Published', '{acct_1}', '[]', 'usr_1');
    insert into publications (post_id, account_id, workspace_id, external_id, published_at, metrics)
      values ('post_1', 'acct_1', 'ws_1', 'ext', '2026-01-01T10:00:00Z', '{"views": 100, "likes": 3}');
    create table of_somebody_else (id int)`);
  await database.close();
  const made = await backUp(old, 'old.tar', true);
  expect([made.migration.number, made.leftOut]).toEqual([12, ['of_somebody_else']]);
  const target = await emptyPlace({ ENCRYPTION_KEYS: '' });
  await restoreBackup(target, made.path, quiet);
  expect(JSON.parse(await readFile(join(target.dataDir, 'secrets.json'), 'utf8'))).toEqual({ encryptionKeys: [keys] });
  const now = openDatabase(target.database.parts, { report: quiet });
  const state = sql(
    'test.state',
    `select (select max(number) from schema_migrations) as migration, views::int, engagement::int,
            (select count(*)::int from published_posts) as posts from publications`,
  );
  expect(await now.query(state)).toEqual([{ migration: migrations.length, views: 100, engagement: 3, posts: 1 }]);
  await now.close();
});

test('a backup made while a migration waits for an earlier build is restored, and the migration is applied', async () => {
  const source = await emptyPlace();
  const database = openDatabase(source.database.parts, { report: quiet });
  const waiting = migrations.filter((migration) => 'contracts' in migration).map(({ number }) => number);
  await migrate(database, migrations, { without: waiting });
  // As the earlier build writes it, which does not name the workspace. The migration moves the second row.
  await database.script(`
    insert into workspaces (id, name) values ('ws_1', 'Demo');
    insert into webhooks (id, workspace_id, url, events, secret) values ('whk_1', 'ws_1', 'https://h', '{}', 's');
    insert into deliveries (id, webhook_id, event_id, type, body) values ('whd_1', 'whk_1', 'evt_1', 'ping', '{}');
    insert into audit_log (id, workspace_id, event, created_at) values ('aud_1', null, 'e', now())`);
  await database.close();
  const { path, postponed, contents } = await backUp(source, 'waiting.tar', true);
  expect([postponed, contents?.workspaces]).toEqual([waiting, 1]);
  const target = await emptyPlace({ ENCRYPTION_KEYS: '' });
  await restoreBackup(target, path, quiet);
  const restored = openDatabase(target.database.parts, { report: quiet });
  expect(await pendingIn(restored, migrations)).toEqual([]);
  const rows = sql(
    'test.rows',
    `select (select workspace_id from deliveries) as workspace, (select count(*)::int from audit_log) as workspaces,
            (select count(*)::int from service_audit_log where id = 'aud_1') as service`,
  );
  expect(await restored.query(rows)).toEqual([{ workspace: 'ws_1', workspaces: 0, service: 1 }]);
  await restored.close();
});

test('a folder that may not be written to is refused in words, by a command and at night', async () => {
  // Not even root can create files there.
  const place = '/sys/backups';
  const message = /^Posthorn cannot write to \/sys.* \(E\w+\)\. Let the user that it runs as write there/;
  const source = await emptyPlace({ BACKUP_FOLDER: place });
  const database = openDatabase(source.database.parts, { report: quiet });
  await migrate(database, migrations);
  const progress = quiet;
  await expect(makeBackup(source, `${place}.tar`, { withKeys: false, clock: systemClock, progress })).rejects.toThrow(
    message,
  );
  const list = createBackupList(database);
  const backups = createBackups({ list, config: source, clock: systemClock, report: quiet });
  await (await backups.makeNow()).done;
  expect(await backups.read()).toMatchObject([{ state: 'Failed', problem: expect.stringMatching(message) }]);
  await database.close();
});

test('what never ran has nothing to back up', async () => {
  await expect(backUp(await emptyPlace(), 'nothing.tar')).rejects.toThrow(
    /^There is nothing to back up: this database/,
  );
  await expect(backUp(await emptyPlace({ ENCRYPTION_KEYS: '' }), 'nothing.tar')).rejects.toThrow(
    /there are no keys in/,
  );
  expect(await readdir(folder)).not.toContain('nothing.tar');
});
