import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, chmod, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer as createHttp, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkSettingNames } from '#server/operation/installation/misspelt-settings';
import { diagnose } from '#server/wiring/cli/doctor';
import { start } from '#server/wiring/main';
import { selfSigned } from '#test/support/certificate';
import { urlOf } from '#test/support/database';
import { type InstallationCopy, makeHealthyInstallation } from '#test/support/healthy-installation';
import { setUpInstallation } from '#test/support/installation';
import { pretendInternet } from '#test/support/internet';
import { createProcesses, freePort } from '#test/support/processes';
import { startService } from '#test/support/service';

type Options = NonNullable<Parameters<typeof diagnose>[1]>;

let healthy: Awaited<ReturnType<typeof makeHealthyInstallation>>;
let fresh: InstallationCopy;
let dataDir: string;
let database: pg.Client;
let servers: Server[];

const configWith = (settings: NodeJS.ProcessEnv = {}) => fresh.configWith(settings);
const production = { NODE_ENV: 'production', BASE_URL: 'https://posthorn.invalid' };

beforeAll(async () => {
  healthy = await makeHealthyInstallation();
});

afterAll(() => healthy.drop());

beforeEach(async () => {
  servers = [];
  fresh = await healthy.copy();
  ({ dataDir, database } = fresh);
});

afterEach(async () => {
  for (const server of servers) server.close();
  await fresh.drop();
});

/** A hash per file and a hash per table, to detect any change. */
const snapshot = async () => {
  const names = await readdir(dataDir, { recursive: true }).catch(() => []);
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(dataDir, name);
      const found = await stat(path);
      const bytes = found.isFile() ? await readFile(path) : '';
      return `${relative(dataDir, path)} ${found.mode} ${createHash('sha256').update(bytes).digest('hex')}`;
    }),
  );
  const { rows: tables } = await database.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1",
  );
  const contentOf = ({ name }: { name: string }) =>
    `select concat_ws(' ', '${name}', count(*), md5(string_agg(t::text, ' ' order by t::text))) as content from ${name} t`;
  const contents = await database.query<{ content: string }>(tables.map(contentOf).join(' union all '));
  return { files: files.sort(), contents: contents.rows.map(({ content }) => content).sort() };
};

const listen = async (server: Server, port = 0) => {
  servers.push(server);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

const answering = (status: number, body: string, headers = {}) =>
  createHttp((_req, res) => res.writeHead(status, headers).end(body));

const account = (status: string, sandbox: boolean) =>
  database.query(
    `insert into accounts (id, workspace_id, network, external_id, name, handle, status, sandbox, facts, granted_scopes, server)
     select 'acct_1', id, 'bluesky', '1', 'Bakery', '@bakery', $1, $2, '{}', '{}', '' from workspaces`,
    [status, sandbox],
  );

const monthFromNow = (days: number) => {
  const day = new Date(Date.now() + days * 86_400_000);
  return `${day.getUTCFullYear() - 1}${String(day.getUTCMonth() + 1).padStart(2, '0')}`;
};

interface Broken {
  readonly settings?: NodeJS.ProcessEnv;
  readonly options?: Options;
}

const linkedin = { LINKEDIN_CLIENT_ID: 'id', LINKEDIN_CLIENT_SECRET: 'secret' };

/** What is broken, how, and what `doctor` says: FAILURE ends with exit 1, WARNING with 0. */
const installations: readonly [string, () => Promise<Broken | undefined> | Broken, RegExp][] = [
  [
    'another key has the name of the lost one',
    async () => {
      await writeFile(join(dataDir, 'secrets.json'), JSON.stringify({ encryptionKeys: [newKey('k1')] }), {
        mode: 0o600,
      });
      await database.query(`update service_audit_log set details = '{"keys":[{"id":"k1","mark":"0123456789abcdef"}]}'`);
      return undefined;
    },
    /^FAILURE {2}Stored secrets .+ The key "k1" in \S+secrets\.json is not the one that encrypted them\. Put that key back .+ Here is "k1" \(fingerprint \w{16}\)\. The last backup was made with "k1" \(fingerprint 0123456789abcdef\)\.$/m,
  ],
  [
    'a key was removed from ENCRYPTION_KEYS too early',
    () => ({ settings: { ENCRYPTION_KEYS: newKey('k2') } }),
    /^FAILURE {2}Stored secrets .+ The key "k1" that encrypted them is not in ENCRYPTION_KEYS\. Put that key back/m,
  ],
  [
    'the file with the keys is damaged',
    async () => {
      await writeFile(join(dataDir, 'secrets.json'), '{"encryptionKeys": ["k1');
      return undefined;
    },
    /^FAILURE {2}\S+secrets\.json is damaged\. Restore it from a backup/m,
  ],
  [
    'others can read the keys',
    async () => {
      await chmod(join(dataDir, 'secrets.json'), 0o644);
      return undefined;
    },
    /^FAILURE {2}Others on this machine can read the keys in \S+secrets\.json: chmod 600 it/m,
  ],
  [
    'the data folder is another one',
    () => ({ settings: { DATABASE_URL: '' } }),
    /^FAILURE {2}There is no database in \S+database\. `posthorn start` makes one; if Posthorn runs with other settings/m,
  ],
  [
    'migrations are pending',
    async () => {
      await database.query('delete from schema_migrations where number = (select max(number) from schema_migrations)');
      return undefined;
    },
    /^FAILURE {2}Migrations pending: \d+ \S+\. Take a backup; a start of this release applies them/m,
  ],
  [
    'a newer release migrated the database',
    async () => {
      await database.query("insert into schema_migrations (number, name) values (9999, 'from the future')");
      return undefined;
    },
    /^FAILURE {2}The database was migrated by a newer Posthorn .+ start that version or restore a backup/m,
  ],
  [
    'nobody is set up',
    async () => {
      await database.query('truncate workspaces, users cascade');
      return undefined;
    },
    /^FAILURE {2}Nobody is set up yet: run `posthorn setup/m,
  ],
  [
    'the scheduler has stalled',
    async () => {
      await database.query(`create table agenda_jobs (name text, repeat_interval text, last_run_at timestamptz,
        last_finished_at timestamptz, next_run_at timestamptz, failed_at timestamptz, fail_reason text)`);
      await database.query(
        `insert into agenda_jobs (name, last_finished_at) values ('sweep', now() - interval '4 hours')`,
      );
      return { settings: production };
    },
    /^FAILURE {2}The scheduler has stalled: recurring work last ran 4 hours ago\. Make sure that a process/m,
  ],
  [
    'recurring work fails',
    async () => {
      await database.query(`create table agenda_jobs (name text, repeat_interval text, last_run_at timestamptz,
        last_finished_at timestamptz, next_run_at timestamptz, failed_at timestamptz, fail_reason text)`);
      await database.query(
        "insert into agenda_jobs (name, last_finished_at, failed_at, fail_reason) values ('sweep', now(), now(), 'the broom broke')",
      );
      return undefined;
    },
    /^WARNING {2}The recurring work "sweep" failed when it last ran: the broom broke\. The log has more/m,
  ],
  [
    'nobody delivers webhooks',
    async () => {
      await database.query(
        `insert into events (id, workspace_id, type, data, created_at)
           select 'evt_1', id, 'ping', '{}', now() from workspaces`,
      );
      await database.query(
        `insert into deliveries (workspace_id, id, webhook_id, event_id, type, body, due_at)
           select workspace_id, 'whd_1', id, 'evt_1', 'ping', '{}', now() - interval '20 minutes' from webhooks`,
      );
      return undefined;
    },
    /^FAILURE {2}No process handles the due work: deliver webhooks \(for 20 minutes\)\. Make sure that a process/m,
  ],
  [
    'an account has to be connected again',
    async () => {
      await account('NeedsReconnect', true);
      return undefined;
    },
    /^WARNING {2}1 account has to be connected again: @bakery \(bluesky\)\. Posts to it fail until an admin/m,
  ],
  [
    'a webhook is paused',
    async () => {
      await database.query('update webhooks set paused_at = now()');
      return undefined;
    },
    /^WARNING {2}1 webhook is paused and gets no events \(example\.com\)\. The page Webhooks says why/m,
  ],
  [
    'the disk is full',
    () => ({ options: { freeBytes: async () => 50e6 } }),
    /^FAILURE {2}Only 0\.1 GB are free on the disk of \S+, so uploads are refused \(DISK_RESERVE_MB\)\. Make room/m,
  ],
  [
    'the disk is nearly full',
    () => ({ options: { freeBytes: async () => 1e9 } }),
    /^WARNING {2}Only 1\.0 GB are free on the disk of \S+\. Make room/m,
  ],
  [
    'the clock of a network is another one',
    async () => {
      await account('Connected', false);
      const { cert, key } = selfSigned({ names: ['bsky.social'] });
      const network = createHttps({ cert, key }, (_req, res) => {
        res.sendDate = false;
        res.writeHead(200, { date: new Date(Date.now() - 600_000).toUTCString() }).end();
      });
      const port = await listen(network);
      const internet = pretendInternet({ names: { 'bsky.social': [['93.184.216.34']] }, port });
      return { options: { internet: { ...internet, extraCa: cert } } };
    },
    /^FAILURE {2}The clock of this machine is (599|600|601)\.\d s ahead of that of Bluesky\. Synchronise/m,
  ],
  [
    'no network can be reached',
    async () => {
      await account('Connected', false);
      return { options: { internet: pretendInternet({ names: {}, port: 1 }) } };
    },
    /^WARNING {2}Bluesky could not be reached from here\. Check the internet connection and DNS/m,
  ],
  [
    'half of the credentials of a network are set',
    () => ({ settings: { X_CLIENT_ID: 'id' } }),
    /^FAILURE {2}X_CLIENT_ID is set and X_CLIENT_SECRET is not, so the real X is not used\. Set X_CLIENT_SECRET too/m,
  ],
  [
    'a setting is misspelt',
    () => ({ settings: { X_CLIENT_SECRT: 'secret' } }),
    /^WARNING {2}X_CLIENT_SECRT is not a setting, and is ignored\. Did you mean X_CLIENT_SECRET\?$/m,
  ],
  [
    'the version of an API is none',
    () => ({ settings: { LINKEDIN_VERSION: 'foo' } }),
    /^FAILURE {2}LINKEDIN_VERSION is foo, which LinkedIn.* refuses\. Set it to year and month, such as 202607/m,
  ],
  [
    'the version of an API has ended',
    () => ({ settings: { ...linkedin, LINKEDIN_VERSION: '202401' } }),
    /^FAILURE {2}Version 202401 of LinkedIn's API may stop working any day, its announced end was 2025-01-15: set LINKEDIN_VERSION/m,
  ],
  [
    'the version of an API ends soon',
    () => ({ settings: { ...linkedin, LINKEDIN_VERSION: monthFromNow(45) } }),
    /^WARNING {2}Version \d{6} of LinkedIn's API ends on \S+, in \d+ days: set LINKEDIN_VERSION to a newer one/m,
  ],
  [
    'the last backup is old',
    async () => {
      await database.query("update service_audit_log set created_at = now() - interval '9 days'");
      return undefined;
    },
    /^WARNING {2}The last backup is from \S+Z, 9 days ago\. Set BACKUP_AT, or run `posthorn backup <folder>`/m,
  ],
  [
    'the mail server does not answer',
    () => ({ settings: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'posthorn@example.com' } }),
    /^FAILURE {2}No mail can be sent, check SMTP_URL: .*ECONNREFUSED/m,
  ],
  [
    'MongoDB does not answer',
    () => ({ settings: { MONGODB_URL: 'mongodb://127.0.0.1:1/posthorn?serverSelectionTimeoutMS=200' } }),
    /^FAILURE {2}MONGODB_URL cannot be used: .*ECONNREFUSED.*\. Start MongoDB, or correct the address\.$/m,
  ],
  [
    'in production nobody answers',
    async () => ({ settings: { ...production, PORT: String(await freePort()) } }),
    /^FAILURE {2}No service answers at https:\/\/posthorn\.invalid\/readyz \(.*ENOTFOUND.*\) nor at http:\/\/127\.0\.0\.1:\d+\/readyz \(.*ECONNREFUSED.*\)\. Start it/m,
  ],
  [
    'the certificate of the proxy is self-signed',
    async () => {
      const { cert, key } = selfSigned();
      const proxy = await listen(createHttps({ cert, key }, (_req, res) => void res.end('ready')));
      const PORT = String(await listen(answering(200, 'ready')));
      return { settings: { ...production, BASE_URL: `https://localhost:${proxy}`, PORT } };
    },
    /^FAILURE {2}The service answers at http:\/\/127\.0\.0\.1:\d+\/readyz, but not at https:\/\/localhost:\d+\/readyz: .*self.signed certificate.* \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. Fix BASE_URL/m,
  ],
  [
    'the proxy leads nowhere',
    async () => {
      const BASE_URL = `http://localhost:${await listen(answering(502, 'Bad Gateway'))}`;
      return { settings: { BASE_URL, PORT: String(await listen(answering(200, 'ready'))) } };
    },
    /^WARNING {2}The service answers at http:\/\/127\.0\.0\.1:\d+\/readyz, but not at \S+: HTTP 502 Bad Gateway\. Fix BASE_URL/m,
  ],
  [
    'the service is not ready',
    async () => {
      const port = await listen(answering(503, 'the scheduler has not ticked for 60 seconds'));
      return { settings: { BASE_URL: `http://localhost:${port}`, PORT: String(port) } };
    },
    /^FAILURE {2}The service at http:\/\/localhost:\d+ is not ready: HTTP 503 the scheduler has not ticked.*\. Look at its log/m,
  ],
];

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

describe('doctor', () => {
  test('says that all is well, with its version, where nothing is broken', async () => {
    const before = await snapshot();
    const { text, healthy: isHealthy } = await diagnose(configWith());
    expect(text).toMatch(/^ok {7}Posthorn \d+\.\d+\.\d+, Node v/);
    expect(text).toMatch(
      /^ok {7}All stored secrets \(2\) can be decrypted\. The newest key is "k1" \(fingerprint \w{16}\)$/m,
    );
    expect(text).toMatch(/\nAll is well\.$/);
    expect(isHealthy).toBe(true);
    expect(await snapshot()).toEqual(before);
  });

  test.each(installations)('names it and the next step, and changes nothing: %s', async (_, breakIt, words) => {
    const { settings = {}, options = {} } = (await breakIt()) ?? {};
    const config = configWith(settings);
    const before = await snapshot();
    const { text, healthy: isHealthy } = await diagnose(config, options);
    expect(text).toMatch(words);
    const isWarning = words.source.startsWith('^WARNING');
    expect([isHealthy, /FAILURE/.test(text)]).toEqual([isWarning, !isWarning]);
    expect(text).not.toContain('All is well');
    expect(await snapshot()).toEqual(before);
  });

  test('makes no folder where there is none', async () => {
    const nowhere = join(dataDir, 'not', 'there');
    await diagnose(configWith({ POSTHORN_DATA: nowhere, DATABASE_URL: '' }));
    await expect(access(join(dataDir, 'not'))).rejects.toThrow();
  });
});

test('names of settings that only look like ours are nobody’s business', () => {
  const foreign = {
    HOME: '/root',
    HOSTNAME: 'box',
    PORTS: '1',
    GOOGLE_APPLICATION_CREDENTIALS: 'x',
    GOOGLE_API_KEY: 'x',
    DATABASE_HOST: 'x',
    DATABASE_USER: 'x',
    DATABASE_PORT: 'tcp://10.0.0.1:5432',
    X_FORWARDED_FOR: 'x',
    POSTHORN_TOKEN: 'x',
    POSTHORN_SERVICE_HOST: '10.0.0.1',
    S3_CONSOLE: 'x',
  };
  const setting = (name: string) => foreign[name as keyof typeof foreign];
  const ofNetworks = ['X_CLIENT_ID', 'X_CLIENT_SECRET', 'GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'];
  expect(checkSettingNames(Object.keys(foreign), { ofNetworks, setting })).toEqual([]);
  const meant = (name: string) => checkSettingNames([name], { ofNetworks, setting })[0]?.message;
  expect(meant('X_CLEINT_SECRET')).toContain('Did you mean X_CLIENT_SECRET?');
  expect(meant('DATABASE_URI')).toContain('Did you mean DATABASE_URL?');
  expect(meant('S3_ACCESS_KEY')).toContain('Did you mean S3_ACCESS_KEY_ID?');
});

describe('a start', () => {
  const warnings = async (settings: NodeJS.ProcessEnv) => {
    const LOG_FILE = join(dataDir, 'posthorn.log');
    const running = await start(configWith({ LOG_LEVEL: 'warn', LOG_FILE, ...settings }));
    await running.stop();
    const lines = (await readFile(LOG_FILE, 'utf8')).split('\n').filter(Boolean);
    return lines
      .map((line) => JSON.parse(line) as { msg: string; check?: string })
      .flatMap(({ msg, check }) => (check ? msg : []));
  };

  test('says in the log which settings do not do what was meant', async () => {
    const said = await warnings({ X_CLIENT_ID: 'id', X_CLIENT_SECRT: 'secret', LINKEDIN_VERSION: 'foo' });
    expect(said).toEqual([
      expect.stringMatching(/^X_CLIENT_ID is set and X_CLIENT_SECRET is not/),
      expect.stringMatching(/^LINKEDIN_VERSION is foo/),
      expect.stringMatching(/^X_CLIENT_SECRT is not a setting.+ Did you mean X_CLIENT_SECRET\?$/),
    ]);
  });

  test('says in the log that the clocks differ', async () => {
    await database.query(
      `create function public.clock_timestamp() returns timestamptz language sql
         as $$ select pg_catalog.clock_timestamp() - interval '8 seconds' $$`,
    );
    await database.query(`alter database ${fresh.parts.database} set search_path = public, pg_catalog`);
    expect(await warnings({})).toEqual([expect.stringMatching(/^The clock of this machine is 8\.\d s ahead of that/)]);
  });

  test('makes no key beside secrets of a lost one, and says what to do', async () => {
    await rm(join(dataDir, 'secrets.json'));
    await expect(start(configWith())).rejects.toThrow(
      /^Stored secrets cannot be decrypted: .+ Put that key back .+ run `posthorn keys discard-lost`/,
    );
    await expect(access(join(dataDir, 'secrets.json'))).rejects.toThrow();
    const other = { ENCRYPTION_KEYS: newKey('k1') };
    await expect(start(configWith(other))).rejects.toThrow(/The key "k1" in ENCRYPTION_KEYS is not the one that/);
  });
});

describe('the app', () => {
  test('tells its operator, and nobody else, what doctor says', async () => {
    const service = await startService({
      X_CLIENT_ID: 'id',
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'posthorn@example.com',
    });
    const { client, config, parts } = service;
    const { id } = await client.posts.create({ body: 'Late' });
    await symlink('/mnt/nowhere', join(config.dataDir, 'media'));
    const late = new pg.Client(parts);
    await late.connect();
    await late.query("update posts set status = 'Scheduled', scheduled_at = posthorn_now() - interval '6 minutes'");
    await late.end();
    const operator = service.browser();
    await operator.signIn();
    const { body } = await operator.get('/api/app/installation');
    const { checks } = await diagnose({ ...config, databaseUrl: urlOf(parts) });
    // The app need not ask whether it answers.
    const wrong = checks.filter(({ level, name }) => ['warning', 'failure'].includes(level) && name !== 'service');
    expect(wrong.map(({ name }) => name).toSorted()).toEqual(['X', 'late posts', 'mail', 'media']);
    const byMessage = (a: { message: string }, b: { message: string }) => (a.message < b.message ? -1 : 1);
    expect(body.checks.toSorted(byMessage)).toEqual(wrong.toSorted(byMessage));
    const search = await operator.get('/api/app/posts?group=Late');
    expect(search.body.posts).toMatchObject([{ id }]);
    const { email } = await service.addMember('editor');
    const editor = service.browser();
    await editor.signIn(email);
    expect((await editor.get('/api/app/installation')).body).toEqual({ checks: [] });
    expect((await editor.get('/api/app/posts?group=Late')).body.posts).toMatchObject([{ id }]);
    await service.stop();
  });
});

// One long story, because the first start of real processes is slow.
describe('an installation whose key is lost', () => {
  const password = 'correct horse battery';

  test('is told so by doctor and start, and goes on without the key once that is confirmed', async () => {
    const posthorn = await createProcesses();
    const secrets = join(posthorn.dataDir, 'secrets.json');
    try {
      expect(await posthorn.run(['--version'])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      });
      // A command that creates nothing says where it looked.
      const nowhere = await posthorn.run(['token', 'list', '--workspace', 'ws_1']);
      expect(nowhere).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`There is no Posthorn in ${posthorn.dataDir}`),
      });
      await expect(access(posthorn.dataDir)).rejects.toThrow();

      const first = await posthorn.start();
      await setUpInstallation(posthorn.settings, { email: 'owner@example.com', password }, ['mastodon']);
      await rm(secrets);
      // The process that runs has the key in its memory.
      const early = await posthorn.run(['keys', 'discard-lost', '--yes']);
      expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('Stop it first') });
      first.kill('SIGTERM');
      await first.ended;

      const names = async () => (await readdir(posthorn.dataDir)).sort();
      const before = await names();
      const doctor = await posthorn.run(['doctor']);
      expect(doctor.stdout).toMatch(
        /^FAILURE {2}Stored secrets cannot be decrypted: .*1 account token.*keys discard-lost/m,
      );
      expect(doctor.code).toBe(1);
      expect(await names()).toEqual(before);
      const refused = await posthorn.run(['start']);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('keys discard-lost') });
      expect(await names()).toEqual(before);

      const unconfirmed = await posthorn.run(['keys', 'discard-lost']);
      expect(unconfirmed).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^No key decrypts .*1 account token.+ with --yes/),
      });
      expect(await names()).toEqual(before);
      const discarded = await posthorn.ask('keys', 'discard-lost', '--yes');
      expect(discarded).toMatchObject({ discarded: { 'account token': 1 } });
      const again = await posthorn.start();
      const person = await again.signIn({ email: 'owner@example.com', password });
      expect(await person('/api/app/actions/accounts.list', {})).toMatchObject({
        accounts: [{ status: 'NeedsReconnect' }],
      });
      const after = await posthorn.run(['doctor']);
      expect(after).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^WARNING {2}1 account has to be connected again/m),
      });
    } finally {
      await posthorn.clear();
    }
  });
});
