import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '#server/base/clock';
import { type Config, mediaFolder, readConfig } from '#server/base/config/config';
import { secretsFile } from '#server/base/secrets/keys';
import { createArchive } from '#server/operation/backup/archive';
import { makeBackup } from '#server/operation/backup/backup';
import { restoreBackup } from '#server/operation/backup/restore';
import { createRestoring } from '#server/operation/backup/restoring';
import { stagedFile } from '#server/operation/backup/staged-restore';
import { newHoldId } from '#server/operation/hold/hold';
import { type RunningService, start } from '#server/wiring/main';
import { type FreshDatabase, freshDatabase, urlOf } from '#test/support/database';
import { freePort } from '#test/support/processes';
import { until } from '#test/support/until';

/** A backup is restored from the welcome page of an installation without users. */

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const quiet = () => undefined;
const databases: FreshDatabase[] = [];
const running = new Set<RunningService>();
const owner = { email: 'owner@example.com', password: 'correct horse' };
const mediaKey = 'media_01JCW0000000000000000000AA';
let folder: string;
let source: Config;
let backup: Buffer;

const emptyPlace = async (settings: NodeJS.ProcessEnv = {}) => {
  // As a first start makes it.
  const database = await freshDatabase({ isMigrated: true });
  databases.push(database);
  return readConfig({
    PORT: String(await freePort()),
    POSTHORN_DATA: await mkdtemp(join(folder, 'data-')),
    DATABASE_URL: urlOf(database.parts),
    LOG_LEVEL: 'fatal',
    ...settings,
  });
};

const run = async (config: Config, said: string[] = []) => {
  const service = await start(config, { say: (text) => void said.push(text) });
  running.add(service);
  return service;
};
const end = async (service: RunningService) => {
  running.delete(service);
  await service.stop();
};

const callsTo = (config: Config) => {
  const at = `http://127.0.0.1:${config.port}`;
  const headers = { origin: config.baseUrl };
  const answer = async (response: Response) => ({ status: response.status, body: await response.json() });
  const post = async (path: string, body: object) =>
    answer(
      await fetch(at + path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
  return {
    read: async () => answer(await fetch(`${at}/api/auth/restore`)),
    post,
    prepare: (bytes: number, code?: string) =>
      post('/api/auth/restore/files', { bytes, ...(code !== undefined && { code }) }),
    upload: async (ticket: string, file: Buffer) =>
      answer(
        await fetch(`${at}/api/auth/restore/file`, {
          method: 'POST',
          headers: { ...headers, 'posthorn-ticket': ticket },
          body: new Uint8Array(file),
        }),
      ),
    begin: (ticket: string, keys = '') => post('/api/auth/restore', { ticket, keys }),
    ended: () =>
      until('the restore has ended', async () => {
        const state = await fetch(`${at}/api/auth/restore`).then(
          (response) => response.json(),
          () => undefined,
        );
        return state?.isRunning === false && (await fetch(`${at}/readyz`)).status === 200;
      }),
  };
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-welcome-'));
  source = await emptyPlace();
  const service = await run(source);
  await service.posthorn.people.setUp({ ...owner, workspace: 'Bakery' });
  const { path } = await makeBackup(source, folder, { withKeys: false, clock: systemClock, progress: quiet });
  backup = await readFile(path);
  await end(service);
});
afterAll(async () => {
  for (const service of running) await service.stop();
  for (const { drop } of databases) await drop();
  await rm(folder, { recursive: true });
});

test('a backup and its key bring everything back, and then nothing goes out until somebody releases it', async () => {
  const config = await emptyPlace();
  const said: string[] = [];
  const service = await run(config, said);
  const calls = callsTo(config);
  const keysBefore = await readFile(secretsFile(config), 'utf8');
  const { ticket } = (await calls.prepare(backup.length)).body;
  const uploaded = await calls.upload(ticket, backup);
  expect(uploaded).toMatchObject({ status: 200, body: { needsKey: true, contents: { people: 1, posts: 0 } } });
  // Neither a key of another installation nor a missing key is accepted.
  expect((await calls.begin(ticket)).body).toMatchObject({
    code: 'BadInput',
    message: expect.stringMatching(/^keys is needed/),
  });
  expect((await calls.begin(ticket, keysBefore)).body.message).toMatch(/^keys is another key: .*Nothing was changed/);
  expect((await calls.begin(ticket, 'nonsense')).body.message).toMatch(/^keys must be the content of secrets\.json/);
  expect((await calls.begin(ticket, await readFile(secretsFile(source), 'utf8'))).status).toBe(200);
  await calls.ended();
  expect((await calls.read()).body).toEqual({ isRunning: false });
  expect(await readFile(secretsFile(config), 'utf8')).toBe(await readFile(secretsFile(source), 'utf8'));
  expect(existsSync(join(config.dataDir, 'restore'))).toBe(false);
  expect((await calls.post('/api/auth/sign-in', owner)).status).toBe(200);
  expect(await service.posthorn.hold.read()).toMatchObject({ backupAt: expect.any(String) });
  expect(said.join('\n')).toContain('The backup is restored. Nothing goes out until a person releases it');
  // The installation has a user now.
  expect(await calls.prepare(backup.length)).toMatchObject({ status: 403, body: { code: 'Forbidden' } });
  await end(service);
});

const otherVersion = async () => {
  const path = join(folder, 'other-version.tar');
  const archive = await createArchive(path);
  const manifest = {
    format: 1,
    posthorn: '9.0.0',
    createdAt: '2030-01-01T00:00:00Z',
    postgres: '18',
    migration: { number: 999, name: 'later' },
    tables: [],
    media: { files: 0, bytes: 0, missing: [] },
    keys: [],
  };
  await archive.add('manifest.json', [Buffer.from(JSON.stringify(manifest))]);
  await archive.finish();
  return readFile(path);
};

test('a backup that is cut short, changed, of another version, or none at all is refused in words, and nothing is changed', async () => {
  const config = await emptyPlace();
  const service = await run(config);
  const calls = callsTo(config);
  const changed = Buffer.from(backup);
  // The first byte after the first entry's header; a byte in the middle might be padding, which does not matter.
  changed[512] = (changed[512] ?? 0) ^ 1;
  for (const [file, message] of [
    [backup.subarray(0, backup.length - 5000), /^The file cannot be restored: it has no end, so it was cut off/],
    [changed, /^The file .*(was changed|is no backup)/],
    [await otherVersion(), /^The file is of Posthorn 9\.0\.0, .* Install that release and restore with it\.$/],
    [Buffer.from('no backup at all'.repeat(100)), /^The file is no backup of Posthorn, or it was changed/],
  ] as const) {
    const { ticket } = (await calls.prepare(file.length)).body;
    expect(await calls.upload(ticket, file)).toMatchObject({
      status: 400,
      body: { code: 'BadInput', message: expect.stringMatching(message) },
    });
    expect((await calls.begin(ticket)).body).toMatchObject({ code: 'Conflict' });
  }
  expect(existsSync(stagedFile(config))).toBe(false);
  expect((await calls.post('/api/auth/sign-up', owner)).status).toBe(200);
  await end(service);
});

describe('a backup whose parts were tampered with is refused in words: it has', () => {
  /** The backup with another header before it, whose checksum fits. */
  const withPart = (name: string, writeSize: (header: Buffer) => unknown) => {
    const header = Buffer.from(backup.subarray(0, 512)).fill(0, 0, 136).fill(' ', 148, 156);
    header.write(name);
    writeSize(header);
    const sum = header.reduce((all, byte) => all + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return Buffer.concat([header, backup]);
  };
  const tampered: [string, (header: Buffer) => unknown, string?][] = [
    ['a negative size', (header) => header.write('-0000001000\0', 124)],
    ['a size with other digits', (header) => header.write('00000000008\0', 124)],
    ['a size that is cut off', (header) => header.write('0\0', 124)],
    [
      'a binary size beyond every file',
      (header) => {
        header.writeUInt8(0x80, 124);
        header.fill(0xff, 128, 136);
      },
    ],
    ['a negative binary size', (header) => header.fill(0xff, 124, 136)],
    ['one name twice', (header) => header.write('00000000000\0', 124), 'manifest.json'],
  ];

  test.each(tampered)('%s', async (_, writeSize, name = 'tables/of-somebody') => {
    const config = await emptyPlace();
    const path = join(config.dataDir, 'tampered.tar');
    await writeFile(path, withPart(name, writeSize));
    await expect(restoreBackup(config, path, quiet)).rejects.toThrow(
      `${path} is no backup of Posthorn, or it was changed. Nothing was changed here.`,
    );
  });
});

test('in production it takes the code that start prints, which it does not use up', async () => {
  const config = await emptyPlace({ NODE_ENV: 'production', BASE_URL: 'https://posthorn.example.com' });
  const service = await run(config);
  const calls = callsTo(config);
  const code = (await service.posthorn.welcome.firstOwnerCode()) ?? '';
  for (const wrong of [undefined, 'guessed']) {
    expect(await calls.prepare(backup.length, wrong)).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('needs the code that Posthorn printed') },
    });
  }
  expect((await calls.upload('guessed', backup)).body.code).toBe('Conflict');
  expect((await calls.prepare(backup.length, code)).status).toBe(200);
  expect((await calls.prepare(backup.length, code)).status).toBe(200);
  await end(service);
});

test('a file that does not fit on the disk is refused before it is sent, and a backup that grows beyond it before it is restored', async () => {
  const config = await emptyPlace();
  const restoring = createRestoring({
    config,
    isEmpty: async () => true,
    mayRestore: async () => true,
    freeBytes: async () => 600_000_000,
  });
  await expect(restoring.prepare({ code: '', bytes: 200_000_000 })).rejects.toThrow(
    'bytes is more than fits: the file has 0.2 GB, and 0.1 GB can be used on the disk of the server. Make room there',
  );
  const path = join(folder, 'small-disk.tar');
  await writeFile(path, backup);
  const embedded = {
    ...config,
    databaseUrl: undefined,
    encryptionKeys: keysOf(await readFile(secretsFile(source), 'utf8')),
  };
  await expect(restoreBackup(embedded, path, quiet, { freeBytes: async () => 1_000 })).rejects.toThrow(
    /^The backup needs at least 0\.\d+ GB on the disk of .*Make room, or restore on a larger disk\. Nothing was changed\.$/,
  );
});

const keysOf = (text: string) => (JSON.parse(text) as { encryptionKeys: string[] }).encryptionKeys;

test('several processes are refused with the command', async () => {
  const config = { ...(await emptyPlace()), webProcesses: 2 };
  const restoring = createRestoring({ config, isEmpty: async () => true, mayRestore: async () => true });
  await expect(restoring.prepare({ code: '', bytes: 1 })).rejects.toThrow('npx posthorn restore <file>');
});

/** The state that a killed process leaves behind. */
const leaveBegun = async (config: Config, holdId: string, owner = { pid: 2 ** 22 + 1, began: '' }) => {
  await mkdir(join(config.dataDir, 'restore'), { recursive: true });
  const path = stagedFile(config);
  const archive = await createArchive(path);
  await archive.add(`media/${mediaKey}`, [Buffer.from('picture')]);
  await archive.finish();
  await writeFile(join(config.dataDir, 'restore/state.json'), JSON.stringify({ holdId, ...owner }));
  await writeFile(join(config.dataDir, 'restore/secrets.json'), await readFile(secretsFile(source), 'utf8'));
};

test('killed before the end, the next start is as before, says so, and takes away the media', async () => {
  const config = await emptyPlace();
  await end(await run(config));
  const keysBefore = await readFile(secretsFile(config), 'utf8');
  // After a reboot another process has its pid.
  await leaveBegun(config, newHoldId(), { pid: process.ppid, began: 'earlier' });
  await mkdir(mediaFolder(config), { recursive: true });
  await writeFile(join(mediaFolder(config), mediaKey), 'pic');
  const said: string[] = [];
  const service = await run(config, said);
  expect(said.join('\n')).toContain('Posthorn was stopped during the restore. Nothing was changed.');
  expect((await callsTo(config).read()).body).toMatchObject({
    problem: expect.stringMatching(/Restore the backup again/),
  });
  expect(await readdir(mediaFolder(config))).toEqual([]);
  expect(await readFile(secretsFile(config), 'utf8')).toBe(keysBefore);
  await end(service);
});

test('killed after the database was replaced but not the keys, the next start completes it', async () => {
  const config = await emptyPlace();
  await end(await run(config));
  const holdId = newHoldId();
  const path = join(folder, 'committed.tar');
  await writeFile(path, backup);
  const keys = keysOf(await readFile(secretsFile(source), 'utf8'));
  await restoreBackup({ ...config, encryptionKeys: keys }, path, quiet, { replacesUnused: true, holdId });
  await leaveBegun(config, holdId);
  const said: string[] = [];
  const service = await run(config, said);
  expect(said.join('\n')).toContain('A restore that was interrupted is complete.');
  expect((await callsTo(config).post('/api/auth/sign-in', owner)).status).toBe(200);
  expect(await service.posthorn.hold.read()).toBeDefined();
  await end(service);
});

test('while another Posthorn uses the database, nothing is changed', async () => {
  const config = await emptyPlace();
  const service = await run(config);
  const calls = callsTo(config);
  const { openDatabase } = await import('#server/base/store/database');
  const { sql } = await import('#server/base/store/database');
  const other = openDatabase(databases.at(-1)?.parts as never, { report: quiet });
  await other.query(sql('test.one', 'select 1'));
  const { ticket } = (await calls.prepare(backup.length)).body;
  await calls.upload(ticket, backup);
  expect((await calls.begin(ticket, await readFile(secretsFile(source), 'utf8'))).status).toBe(200);
  await calls.ended();
  expect((await calls.read()).body.problem).toMatch(/^Another Posthorn is connected to this database/);
  await other.close();
  expect((await calls.post('/api/auth/sign-up', owner)).status).toBe(200);
  await end(service);
});
