import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Post } from '#contracts/posts';
import { findAction, runNow } from '#server/agents/admission';
import { systemClock } from '#server/base/clock';
import { type Config, readConfig } from '#server/base/config/config';
import { type Database, openDatabase, sql } from '#server/base/store/database';
import { migrate, pendingIn, refuseUnknown } from '#server/base/store/migrate';
import { migrations } from '#server/base/store/migrations/index';
import { makeBackup } from '#server/operation/backup/backup';
import { createBackupList } from '#server/operation/backup/backup-list-store';
import { createBackups } from '#server/operation/backup/backups';
import { checkBackup } from '#server/operation/backup/last-backup';
import { restoreBackup } from '#server/operation/backup/restore';
import { findExpired, lastSlot, nameOfDay } from '#server/operation/backup/schedule';
import { verifyBackup } from '#server/operation/backup/verify';
import { connectInSandbox } from '#server/simulation/sandbox/sign-up';
import { type RunningService, start } from '#server/wiring/main';
import { type FreshDatabase, freshDatabase, urlOf } from '#test/support/database';
import { type MailServer, startMailServer } from '#test/support/mail-server';
import { freePort } from '#test/support/processes';
import { type Address, type Receiver, startReceiver } from '#test/support/receiver';
import { until } from '#test/support/until';

const quiet = () => undefined;
const dayMs = 24 * 3_600_000;
const keys = `k1:${randomBytes(32).toString('base64')}`;
const databases: FreshDatabase[] = [];
let folder: string;

const emptyPlace = async (settings: NodeJS.ProcessEnv = {}, { isMigrated = false } = {}) => {
  const database = await freshDatabase({ isMigrated });
  databases.push(database);
  const data = await mkdtemp(join(folder, 'data-'));
  const config = readConfig({
    PORT: String(await freePort()),
    POSTHORN_DATA: data,
    DATABASE_URL: urlOf(database.parts),
    LOG_LEVEL: 'fatal',
    REQUESTS_PER_MINUTE: '100000',
    ENCRYPTION_KEYS: keys,
    BACKUP_AT: '03:00',
    ...settings,
  });
  return { config, parts: database.parts };
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-backups-'));
});
afterAll(async () => {
  for (const { drop } of databases) await drop();
  await rm(folder, { recursive: true });
});

describe('the nights', () => {
  const at = (day: number, hour: number) => new Date(2026, 10, day, hour, 30);

  test('begin at BACKUP_AT of today, and before that at the one of yesterday', () => {
    expect(lastSlot(at(17, 4), '03:00')).toEqual(new Date(2026, 10, 17, 3));
    expect(lastSlot(at(17, 2), '03:00')).toEqual(new Date(2026, 10, 16, 3));
  });

  test('keep the newest of each of the last days and weeks', () => {
    const backups = Array.from({ length: 60 }, (_, back) => ({
      startedAt: new Date(2026, 10, 17 - back, 3).toISOString(),
    }));
    const expired = new Set(findExpired(backups, { days: 3, weeks: 2 }));
    const days = backups.filter((backup) => !expired.has(backup)).map(({ startedAt }) => new Date(startedAt).getDate());
    // Three days, and the newest of this week and of the one before (Sunday the 15th).
    expect(days).toEqual([17, 16, 15]);
    const weeks = new Set(findExpired(backups, { days: 1, weeks: 3 }));
    expect(
      backups.filter((backup) => !weeks.has(backup)).map(({ startedAt }) => new Date(startedAt).getDate()),
    ).toEqual([17, 15, 8]);
  });

  test('never remove the only backup', () => {
    const only = [{ startedAt: '2020-01-01T03:00:00Z' }];
    expect(findExpired(only, { days: 0, weeks: 0 })).toEqual([]);
  });

  test.each([['25:00'], ['3:00'], ['never']])('refuse BACKUP_AT=%s in words', (value) => {
    expect(() => readConfig({ BACKUP_AT: value })).toThrow('BACKUP_AT must be a time such as 03:00, or off');
  });

  test('are on with the embedded database alone, unless they are asked for', () => {
    expect(readConfig({}).backup.at).toBe('03:00');
    expect(readConfig({ DATABASE_URL: 'postgres://somewhere/db' }).backup.at).toBeUndefined();
    expect(readConfig({ BACKUP_AT: 'off' }).backup.at).toBeUndefined();
  });
});

describe('a service that backs itself up', () => {
  let config: Config;
  let database: Database;
  let nowMs = new Date(2030, 4, 6, 12).getTime();
  const clock = { now: () => new Date(nowMs) };
  const files = async () => (await readdir(config.backup.folder).catch(() => [])).toSorted();
  const backupsWith = (parts: Partial<Parameters<typeof createBackups>[0]> = {}) =>
    createBackups({ list: createBackupList(database), config, clock, report: quiet, ...parts });

  beforeAll(async () => {
    const place = await emptyPlace({ BACKUP_KEEP: '2d 1w' }, { isMigrated: true });
    ({ config } = place);
    database = openDatabase(place.parts, { report: quiet });
  });
  afterAll(() => database?.close());

  test('makes one backup for each night, tests it, and keeps by days and weeks', async () => {
    const backups = backupsWith();
    await Promise.all([backups.makeNightly(), backupsWith().makeNightly()]);
    await backups.makeNightly();
    const [first, ...others] = await backups.read();
    expect(others).toEqual([]);
    expect(first).toMatchObject({ reason: 'Nightly', state: 'Made', contents: { posts: 0, people: 0 } });
    expect(first?.verifiedAt).toBeDefined();
    for (let night = 0; night < 2; night++) {
      nowMs += dayMs;
      await backups.makeNightly();
    }
    // Three were made.
    expect(await backups.read()).toHaveLength(2);
    expect(await files()).toHaveLength(2);
    const scratch = sql('test.scratch', "select datname from pg_database where datname like 'posthorn_verify_%'");
    expect(await database.query(scratch)).toEqual([]);
  });

  test('a disk that fills leaves the old ones, says so, and is tried again after an hour', async () => {
    const before = await files();
    nowMs += dayMs;
    const full = async () => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    await backupsWith({ make: full }).makeNightly();
    expect(await files()).toEqual(before);
    const backups = backupsWith();
    const [failed] = await backups.read();
    expect(failed).toMatchObject({ state: 'Failed', problem: 'The disk was full. Older backups are still there.' });
    const [newest] = await createBackupList(database).all();
    const check = checkBackup(undefined, newest, { now: clock.now(), production: true, isNightly: true });
    expect(check).toMatchObject({
      level: 'failure',
      message: expect.stringContaining('was not made: The disk was full'),
    });
    await backups.makeNightly();
    expect((await backups.read())[0]).toMatchObject({ state: 'Failed' });
    nowMs += 3_600_001;
    await backups.makeNightly();
    expect((await backups.read())[0]).toMatchObject({ state: 'Made' });
  });

  test('with too little space none is begun: the old ones stay, and it says what to do', async () => {
    const backups = backupsWith();
    await (await backups.makeNow()).done;
    const before = await files();
    nowMs += dayMs;
    const short = backupsWith({ freeBytes: async () => 100_000_000 });
    await short.makeNightly();
    expect(await files()).toEqual(before);
    const [newest] = await createBackupList(database).all();
    expect(newest).toMatchObject({
      state: 'Failed',
      problem: expect.stringMatching(
        /^It needs about 0\.2 GB, and 0\.1 GB are free in .+\. Older backups are still there\. Make room, keep fewer with BACKUP_KEEP, or set BACKUP_FOLDER/,
      ),
    });
    const check = checkBackup(undefined, newest, { now: clock.now(), production: true, isNightly: true });
    expect(check).toMatchObject({ level: 'failure', message: expect.stringContaining('was not made: It needs about') });
  });

  test('a file on another machine is named, is not offered here, and is not forgotten', async () => {
    nowMs += dayMs;
    const list = createBackupList(database);
    const claim = { id: 'bak_elsewhere', startedAt: clock.now() };
    await list.claimAsked(claim.id, claim.startedAt, 1);
    await list.saveMade(claim, { path: join(folder, 'elsewhere/night.tar'), bytes: 1, host: 'attic' });
    await list.end(claim, clock.now(), clock.now(), null);
    const backups = backupsWith({ host: 'cellar' });
    expect(await backups.read()).toContainEqual(expect.objectContaining({ id: 'bak_elsewhere', host: 'attic' }));
    await expect(backups.find('bak_elsewhere')).rejects.toThrow('The file is on attic, at');
    await expect(backups.find('bak_unknown')).rejects.toThrow('There is no backup with id bak_unknown here.');
    for (let night = 0; night < 2; night++) {
      nowMs += dayMs;
      await (await backups.makeNow()).done;
    }
    expect((await list.all()).map(({ id }) => id)).toContain('bak_elsewhere');
    // The machine that holds the file removes both file and row.
    await (await backupsWith({ host: 'attic' }).makeNow()).done;
    expect((await list.all()).map(({ id }) => id)).not.toContain('bak_elsewhere');
  });

  test('a backup that cannot be restored is kept and reported, and costs no older one', async () => {
    nowMs += dayMs;
    const before = await files();
    const broken: typeof verifyBackup = async (to, path, progress) => {
      await truncate(path, 3000);
      return verifyBackup(to, path, progress);
    };
    await backupsWith({ verify: broken }).makeNightly();
    const [newest] = await createBackupList(database).all();
    expect(newest).toMatchObject({ state: 'Made', verifiedAt: null, problem: expect.stringContaining('cut off') });
    expect(await files()).toEqual(expect.arrayContaining(before));
    const check = checkBackup(undefined, newest, { now: clock.now(), production: true, isNightly: true });
    expect(check.message).toMatch(/could not be restored for a test/);
    for (let night = 0; night < 2; night++) {
      nowMs += dayMs;
      await backupsWith().makeNightly();
    }
    // All restorable backups are newer by now.
    expect((await createBackupList(database).all()).map(({ id }) => id)).not.toContain(newest?.id);
  });

  test('a backup that lacks files of the media library is reported, does not count as one, and costs no older one', async () => {
    const backups = backupsWith();
    const media = join(config.dataDir, 'media');
    await database.script(`
      insert into workspaces (id, name) values ('ws_1', 'Demo');
      insert into media (id, workspace_id, kind, mime_type, bytes, width, height)
        values ('media_1', 'ws_1', 'Image', 'image/png', 1, 1, 1)`);
    const before = await files();
    // As many as BACKUP_KEEP keeps, so that they replace the earlier ones.
    for (let night = 0; night < 2; night++) {
      nowMs += dayMs;
      await backups.makeNightly();
    }
    expect(await files()).toEqual(expect.arrayContaining(before));
    const [newest] = await createBackupList(database).all();
    expect(newest).toMatchObject({
      state: 'Made',
      problem: expect.stringMatching(
        `^2 files are missing in the folder ${media} and so in the backup, such as media_1. Put them back from an older backup`,
      ),
    });
    expect(await backups.goodAgeSeconds()).toBeGreaterThanOrEqual(2 * 24 * 3_600);
    const check = checkBackup(undefined, newest, { now: clock.now(), production: true, isNightly: true });
    expect(check).toMatchObject({ level: 'failure', message: expect.stringContaining('is not complete: 2 files') });
    await mkdir(media, { recursive: true });
    for (const name of ['media_1', 'media_1.thumbnail']) await writeFile(join(media, name), 'a');
    nowMs += dayMs;
    await backups.makeNightly();
    expect((await createBackupList(database).all())[0]).toMatchObject({ state: 'Made', problem: null });
    expect(await backups.goodAgeSeconds()).toBeLessThan(24 * 3_600);
  });

  test('a killed process leaves no part of a file for good, and a backup that it did not test is named', async () => {
    nowMs += dayMs;
    const list = createBackupList(database);
    const claim = { id: 'bak_untested', startedAt: clock.now() };
    const slotAt = lastSlot(clock.now(), '03:00');
    await list.claimNight(claim.id, { slot: nameOfDay(slotAt), slotAt, now: clock.now(), leaseMs: 1000, retryMs: 1 });
    await list.saveMade(claim, { path: join(folder, 'untested.tar'), bytes: 1 });
    const partOf = (name: string) => join(config.backup.folder, `posthorn-${name}.part`);
    await mkdir(config.backup.folder, { recursive: true });
    for (const name of ['killed', 'growing']) await writeFile(partOf(name), 'a');
    const yesterday = new Date(Date.now() - dayMs);
    await utimes(partOf('killed'), yesterday, yesterday);
    nowMs += 1001;
    const backups = backupsWith();
    await backups.makeNightly();
    expect((await list.all())[0]).toMatchObject({
      id: 'bak_untested',
      state: 'Made',
      problem: 'The process that made it ended before it had tested it.',
    });
    nowMs += dayMs;
    await backups.makeNightly();
    expect((await files()).filter((name) => name.endsWith('.part'))).toEqual(['posthorn-growing.part']);
    await rm(partOf('growing'));
  });

  test('another process makes the backup of one that died, when its lease has ended', async () => {
    nowMs += dayMs;
    const list = createBackupList(database);
    const slotAt = lastSlot(clock.now(), '03:00');
    const slot = `${slotAt.getFullYear()}-05-${String(slotAt.getDate()).padStart(2, '0')}`;
    const claim = { slot, slotAt, now: clock.now(), leaseMs: 120_000, retryMs: 1 };
    expect(await list.claimNight('bak_dead', claim)).toBe('bak_dead');
    await backupsWith().makeNightly();
    expect((await list.all())[0]).toMatchObject({ id: 'bak_dead', state: 'Running' });
    nowMs += 120_001;
    await backupsWith().makeNightly();
    expect((await list.all())[0]).toMatchObject({ id: 'bak_dead', state: 'Made', problem: null });
  });

  test('a process that was stopped for longer than its lease leaves the backup to the one that took it over', async () => {
    nowMs += dayMs;
    const stopped: typeof makeBackup = async (...args) => {
      nowMs += 120_001;
      await backupsWith().makeNightly();
      nowMs += 5_000;
      return makeBackup(...args);
    };
    await backupsWith({ make: stopped }).makeNightly();
    const rows = await createBackupList(database).all();
    expect(rows[0]).toMatchObject({ state: 'Made', problem: null, verifiedAt: expect.any(String) });
    expect(rows.map(({ path }) => basename(path ?? ''))).toEqual(expect.arrayContaining(await files()));
  });

  test('a person who asks for one while one is made is told to wait', async () => {
    nowMs += 60_000;
    const backups = backupsWith();
    const { done } = await backups.makeNow();
    await expect(backups.makeNow()).rejects.toThrow('A backup is being made already. Wait until it is done.');
    await done;
    expect((await backups.read())[0]).toMatchObject({ reason: 'Asked', state: 'Made' });
  });
});

describe('before a migration', () => {
  test('the database is dumped or nothing is migrated, three dumps are kept, and one can be restored beside its media', async () => {
    const { config, parts } = await emptyPlace();
    const database = openDatabase(parts, { report: quiet });
    await migrate(database, migrations.slice(0, -1));
    await database.script(`insert into workspaces (id, name) values ('ws_1', 'Demo')`);
    const { dumpBeforeMigration, listDumps } = await import('#server/operation/backup/dump-before-migration');
    for (let number = 1; number <= 3; number++) await dumpBeforeMigration(config, number);
    const before = await listDumps(config.backup.folder);
    const make = async () => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    await expect(dumpBeforeMigration(config, migrations.length, { make })).rejects.toThrow(
      /^It could not be dumped before the migration \(the disk of .+ is full\), so nothing was migrated\. Make room, /,
    );
    expect(await listDumps(config.backup.folder)).toEqual(before);
    const service = await start(config);
    await service.stop();
    const dumps = await listDumps(config.backup.folder);
    expect(dumps.map(({ id }) => /^before-migration-(\d+)-/.exec(id)?.[1]).toSorted()).toEqual(
      ['2', '3', String(migrations.length)].toSorted(),
    );
    // The dump contains what was there before the migration.
    const dump = dumps.find(({ id }) => id.startsWith(`before-migration-${migrations.length}-`));
    const target = await emptyPlace();
    await restoreBackup(target.config, dump?.path ?? '', quiet);
    const restored = openDatabase(target.parts, { report: quiet });
    expect(await restored.query(sql('test.workspaces', 'select name from workspaces'))).toEqual([{ name: 'Demo' }]);
    await restored.close();
    await database.close();
  });

  test('processes that start together dump the database once', async () => {
    const { config, parts } = await emptyPlace();
    const database = openDatabase(parts, { report: quiet });
    await migrate(database, migrations.slice(0, -1));
    const ports = [config.port, await freePort(), await freePort()];
    const services = await Promise.all(ports.map((port) => start({ ...config, port })));
    await Promise.all(services.map((service) => service.stop()));
    const made = sql('test.made', `select event from service_audit_log where event = 'backup.made'`);
    expect(await database.query(made)).toHaveLength(1);
    expect(await readdir(config.backup.folder)).toEqual([
      expect.stringMatching(`^before-migration-${migrations.length}-.+Z.tar$`),
    ]);
    await database.close();
  });

  test('a new database, and one whose backups are off, is not dumped', async () => {
    const { config } = await emptyPlace({ BACKUP_AT: 'off' });
    await (await start(config)).stop();
    expect(await readdir(config.dataDir)).not.toContain('backups');
    const other = await emptyPlace();
    await (await start(other.config)).stop();
    expect(await readdir(other.config.dataDir)).not.toContain('backups');
  });
});

describe('the release before', () => {
  test('starts on a database to which a newer one only added, but makes no backup of it', async () => {
    const { config, parts } = await emptyPlace({ BACKUP_AT: 'off' }, { isMigrated: true });
    const database = openDatabase(parts, { report: quiet });
    const next = { number: migrations.length + 1, name: 'newer', sql: 'create table newer (id int)' };
    await migrate(database, [...migrations, next]);
    expect(await pendingIn(database, migrations)).toEqual([]);
    const service = await start(config);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await service.stop();
    await expect(makeBackup(config, folder, { withKeys: false, clock: systemClock, progress: quiet })).rejects.toThrow(
      /migrated by a newer Posthorn/,
    );
    await database.close();
  });

  test('refuses one from which a newer release removed something', () => {
    const applied = [...migrations, { number: migrations.length + 1, name: 'removes', additive: false }];
    expect(() => refuseUnknown(applied, migrations)).toThrow(/migrated by a newer Posthorn/);
  });
});

describe('after a restore', () => {
  let service: RunningService;
  let owner: { userId: string; workspaceId: string };
  let path: string;
  let dueId: string;
  let laterId: string;
  let accountId: string;
  let hookId: string;
  let mails: MailServer;
  let receiver: Receiver;
  let hook: Address;

  const asHuman = async ({ posthorn }: RunningService, name: string, input: object) => {
    const action = findAction(posthorn.actions, name);
    return (await runNow(action, action.admit(input, { ...owner, role: 'owner', mayPublish: true, isPerson: true })))
      .value as Post;
  };
  const feed = async ({ posthorn }: RunningService) => JSON.stringify(await posthorn.sandboxes.feed('bluesky', 50));

  beforeAll(async () => {
    [mails, receiver] = await Promise.all([startMailServer(), startReceiver()]);
    // Until the restore, neither takes anything, so that the backup has a mail and a delivery that wait.
    mails.refuse('before@example.com', 451);
    hook = receiver.address(500);
    const settings = { ...mails.settings, ...receiver.settings() };
    const { config } = await emptyPlace(settings, { isMigrated: true });
    const source = await start(config);
    const { posthorn } = source;
    owner = await posthorn.people.setUp({ email: 'owner@example.com', password: 'correct horse', workspace: 'Demo' });
    const caller = { ...owner, role: 'owner', mayPublish: true, isPerson: true } as const;
    accountId = await connectInSandbox(posthorn, caller, 'bluesky', { handle: 'anna', here: (to) => to });
    hookId = (await posthorn.webhooks.add(caller, { url: hook.url, events: ['account.disconnected'] })).id;
    await posthorn.invitations.invite(caller, { email: 'before@example.com', role: 'viewer' });
    await posthorn.webhooks.test(caller, hookId);
    await hook.nth(1);
    const scheduled = async (body: string, inMs: number) => {
      const { id } = await asHuman(source, 'posts.create', { body, accountIds: [accountId] });
      const at = new Date(posthorn.sandboxClock.now().getTime() + inMs).toISOString();
      await asHuman(source, 'posts.schedule', { id, at });
      return id;
    };
    dueId = await scheduled('due in between', 3_600_000);
    laterId = await scheduled('due later', 10 * dayMs);
    ({ path } = await makeBackup(config, join(folder, 'night.tar'), {
      withKeys: false,
      clock: systemClock,
      progress: quiet,
    }));
    await source.stop();
    const target = await emptyPlace(settings);
    await restoreBackup(target.config, path, quiet);
    mails.accept('before@example.com');
    hook.answer(200);
    service = await start(target.config);
    await service.posthorn.sandboxClock.forward(2 * 3_600_000);
  });
  afterAll(async () => {
    await service?.stop();
    await mails?.stop();
    receiver?.stop();
  });

  test('nothing goes out while the service is ready and everybody reads why; released, what was due asks for a look, and what was begun meanwhile or is due later goes out', async () => {
    const { id } = await asHuman(service, 'posts.create', { body: 'clicked meanwhile', accountIds: [accountId] });
    await asHuman(service, 'posts.publishNow', { id });
    const caller = { ...owner, role: 'owner', mayPublish: true, isPerson: true } as const;
    await service.posthorn.invitations.invite(caller, { email: 'meanwhile@example.com', role: 'viewer' });
    const { eventId } = await service.posthorn.webhooks.test(caller, hookId);
    expect(service.posthorn.jobs.inFlight().get('sends')).toBe(0);
    expect((await asHuman(service, 'posts.get', { id: dueId })).status).toBe('Scheduled');
    expect((await asHuman(service, 'posts.get', { id })).status).toBe('Publishing');
    expect(await feed(service)).not.toMatch(/due in between|clicked meanwhile/);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect(await service.posthorn.hold.read()).toMatchObject({ backupAt: expect.any(String) });
    const { count, posts } = await service.posthorn.hold.listDue();
    expect({ count, posts }).toMatchObject({ count: 1, posts: [{ id: dueId, text: 'due in between' }] });
    expect(posts[0]?.accounts).toEqual([expect.stringMatching(/./)]);
    expect(mails.to('meanwhile@example.com')).toEqual([]);
    const attempts = hook.received().length;

    const ended = await service.posthorn.hold.release(owner.userId, 'req_test');
    expect(ended).toEqual({ posts: 1, deliveries: 1, messages: 1 });
    await expect(service.posthorn.hold.release(owner.userId, 'req_test')).rejects.toThrow(/released it already/);
    await until('what was clicked meanwhile is out', async () => {
      const { status } = await asHuman(service, 'posts.get', { id });
      return status === 'Published';
    });
    await mails.nth('meanwhile@example.com');
    expect((await hook.nth(attempts + 1)).headers['webhook-id']).toBe(eventId);
    const held = await asHuman(service, 'posts.get', { id: dueId });
    expect(held).toMatchObject({ status: 'Failed', results: [{ ok: false, uncertain: true }] });
    await service.posthorn.sandboxClock.forward(10 * dayMs - 3_600_000);
    await until('the later one is out', async () => {
      const { status } = await asHuman(service, 'posts.get', { id: laterId });
      return status === 'Published';
    });
    expect(await feed(service)).toMatch(/due later/);
    expect(await feed(service)).toMatch(/clicked meanwhile/);
    expect(await feed(service)).not.toMatch(/due in between/);
    expect(mails.to('before@example.com')).toEqual([]);
    expect(hook.received()).toHaveLength(attempts + 1);
    // As a person who has checked that the post is not there.
    await service.posthorn.publishControls.publishNow(
      { ...owner, role: 'owner', mayPublish: true, isPerson: true },
      dueId,
      {
        despite: [accountId],
      },
    );
    await until('it is out', async () => (await asHuman(service, 'posts.get', { id: dueId })).status === 'Published');
    const out = await service.posthorn.sandboxes.feed('bluesky', 50);
    expect(out.filter((post) => JSON.stringify(post).includes('due in between'))).toHaveLength(1);
  });
});
