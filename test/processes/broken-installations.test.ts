import { once } from 'node:events';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCheck } from '#server/operation/installation/run-checks';
import { diagnose } from '#server/wiring/cli/doctor';
import { start } from '#server/wiring/main';
import { urlOf } from '#test/support/database';
import { type InstallationCopy, makeHealthyInstallation } from '#test/support/healthy-installation';
import { pretendInternet } from '#test/support/internet';
import { createProcesses } from '#test/support/processes';
import { startS3 } from '#test/support/s3';

let healthy: Awaited<ReturnType<typeof makeHealthyInstallation>>;

beforeAll(async () => {
  healthy = await makeHealthyInstallation();
});

afterAll(() => healthy.drop());

/** Runs work when the test is over, the last first. */
type AtEnd = (work: () => Promise<void> | void) => void;

interface Broken {
  readonly settings?: NodeJS.ProcessEnv;
  readonly options?: Parameters<typeof diagnose>[1];
}

interface Case {
  readonly what: string;
  readonly breakIt: (installation: InstallationCopy, atEnd: AtEnd) => Promise<Broken> | Broken;
  /** What doctor says. FAILURE ends with exit 1, others with 0. */
  readonly says: RegExp;
  /** What a start says as it refuses. Left out where it starts, because it does not check this. */
  readonly refuses?: RegExp;
  /** What a start logs as it goes on. */
  readonly logs?: RegExp;
}

const listen = async (server: Server, atEnd: AtEnd) => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
};

/** Accepts every connection, and never sends a byte. */
const silence = (atEnd: AtEnd) => listen(createServer(), atEnd);

const connectedAccount = ({ database }: InstallationCopy) =>
  database.query(
    `insert into accounts (id, workspace_id, network, external_id, name, handle, status, sandbox, facts, granted_scopes, server)
     select 'acct_1', id, 'bluesky', '1', 'Bakery', '@bakery', 'Connected', false, '{}', '{}', '' from workspaces`,
  );

const s3 = (endpoint: string) => ({
  S3_ENDPOINT: endpoint,
  S3_BUCKET: 'media',
  S3_REGION: 'eu-test',
  S3_ACCESS_KEY_ID: 'key',
  S3_SECRET_ACCESS_KEY: 'secret',
});

const cases: readonly Case[] = [
  {
    what: 'the database is read-only',
    breakIt: async ({ database, parts }) => {
      await database.query(`alter database ${parts.database} set default_transaction_read_only = on`);
      return {};
    },
    says: /^FAILURE {2}The database is read-only\. If it is a standby, let DATABASE_URL lead to the leader; else switch default_transaction_read_only off where it is set/m,
    refuses: /^The database is read-only\. If it is a standby, let DATABASE_URL lead to the leader/,
  },
  {
    what: 'nobody listens at DATABASE_URL',
    breakIt: () => ({ settings: { DATABASE_URL: 'postgres://posthorn@127.0.0.1:1/posthorn' } }),
    says: /^FAILURE {2}The database cannot be used: .*ECONNREFUSED.*\. Check that PostgreSQL runs, and that DATABASE_URL leads to it\.$/m,
    refuses:
      /^The database cannot be used: .*ECONNREFUSED.*\. Check that PostgreSQL runs, and that DATABASE_URL leads to it\.$/,
  },
  {
    what: 'the database accepts connections and says nothing',
    breakIt: async (_, atEnd) => ({
      settings: { DATABASE_URL: `postgres://posthorn@127.0.0.1:${await silence(atEnd)}/posthorn` },
    }),
    says: /^FAILURE {2}The database cannot be used: it does not answer\. Check that PostgreSQL runs, and that DATABASE_URL leads to it\.$/m,
    refuses:
      /^The database cannot be used: it does not answer\. Check that PostgreSQL runs, and that DATABASE_URL leads to it\.$/,
  },
  {
    what: 'there is no database of that name',
    breakIt: ({ parts }) => ({ settings: { DATABASE_URL: urlOf({ ...parts, database: 'nowhere' }) } }),
    says: /^FAILURE {2}The database cannot be used: database "nowhere" does not exist\. Correct the name of the database in DATABASE_URL, or create it\.$/m,
    refuses: /^The database cannot be used: database "nowhere" does not exist\. Correct the name/,
  },
  {
    what: 'the database has no connection left',
    breakIt: async ({ parts, database }, atEnd) => {
      const role = `crowded_${parts.database}`;
      atEnd(async () => void (await database.query(`drop role ${role}`)));
      await database.query(`create role ${role} login password 'secret' connection limit 0`);
      return { settings: { DATABASE_URL: urlOf({ ...parts, user: role, password: 'secret' }) } };
    },
    says: /^FAILURE {2}The database cannot be used: too many connections for role ".+"\. End sessions that nobody needs, or raise max_connections or the limit of the database or role\.$/m,
    refuses: /^The database cannot be used: too many connections for role ".+"\. End sessions that nobody needs/,
  },
  {
    what: 'a table belongs to another role',
    breakIt: async ({ parts, database }, atEnd) => {
      const role = `service_${parts.database}`;
      await database.query(`
        create role ${role} login password 'secret';
        grant create on schema public to ${role};
        do $$ declare name text; begin
          for name in select tablename from pg_tables where schemaname = 'public' and tablename <> 'accounts' loop
            execute format('alter table %I owner to ${role}', name);
          end loop;
        end $$`);
      atEnd(async () => void (await database.query(`drop owned by ${role} cascade; drop role ${role}`)));
      return { settings: { DATABASE_URL: urlOf({ ...parts, user: role, password: 'secret' }) } };
    },
    says: /^FAILURE {2}The table accounts belongs to the role posthorn, and Posthorn, which is (service_\w+), may not use it\. In psql, as posthorn or a superuser, run: alter table accounts owner to \1;$/m,
    refuses:
      /^The table accounts belongs to the role posthorn, and Posthorn, which is service_\w+, may not use it\. In psql, /,
  },
  {
    what: 'an index was dropped',
    breakIt: async ({ database }) => {
      await database.query('drop index accounts_once');
      return {};
    },
    says: /^FAILURE {2}The index accounts_once is missing, so writes to accounts that rely on it fail\. Run `posthorn doctor --fix`, or in psql: create unique index accounts_once on accounts \(workspace_id, network, external_id\) where disconnected_at is null;$/m,
    logs: /^The index accounts_once is missing, so writes to accounts that rely on it fail\./,
  },
  {
    what: 'another session holds a lock',
    breakIt: async ({ parts }, atEnd) => {
      const other = new pg.Client({ connectionString: urlOf(parts) });
      await other.connect();
      atEnd(() => other.end());
      await other.query('begin; lock table sandbox_clock');
      return {};
    },
    says: /^FAILURE {2}The check of demo has no result after 10 s\. PostgreSQL is overloaded, or another session holds a lock: look at pg_stat_activity, then run doctor again\.$/m,
    refuses: /^The database cannot be used: no answer within 5 s\. Check that PostgreSQL runs/,
  },
  {
    what: 'S3 accepts connections and says nothing',
    breakIt: async (_, atEnd) => ({ settings: s3(`http://127.0.0.1:${await silence(atEnd)}`) }),
    says: /^FAILURE {2}The store for media cannot be used: no answer within 5 s\. Check S3_ENDPOINT, .+$/m,
    refuses: /^The store for media cannot be used: no answer within 5 s\. Check S3_ENDPOINT, /,
  },
  {
    what: 'S3 refuses the key',
    breakIt: async (_, atEnd) => {
      const store = await startS3();
      atEnd(store.stop);
      return { settings: { ...store.settings, S3_ACCESS_KEY_ID: 'wrong' } };
    },
    says: /^FAILURE {2}The store for media cannot be used: the bucket media at \S+ answered 403 AccessDenied to GET\. Check S3_ENDPOINT, /m,
    refuses:
      /^The store for media cannot be used: the bucket media at \S+ answered 403 AccessDenied to GET\. Check S3_ENDPOINT, /,
  },
  {
    what: 'a file is where media is kept',
    breakIt: async ({ dataDir }) => {
      await writeFile(join(dataDir, 'media'), 'not a folder');
      return {};
    },
    says: /^FAILURE {2}The store for media cannot be used: \S+media is a file\. Move it away: media is kept in a folder of that name\.$/m,
    refuses: /^The store for media cannot be used: \S+media is a file\. Move it away/,
  },
  {
    what: 'the folder of media is a link that leads nowhere',
    breakIt: async ({ dataDir }) => {
      await symlink('/mnt/nowhere/media', join(dataDir, 'media'));
      return {};
    },
    says: /^FAILURE {2}The store for media cannot be used: \S+media is a link to \/mnt\/nowhere\/media, which does not exist\. Mount the disk/m,
    refuses: /^The store for media cannot be used: \S+media is a link to \/mnt\/nowhere\/media, which does not exist\./,
  },
  {
    what: 'a file is where BACKUP_FOLDER should be',
    breakIt: async ({ dataDir }) => {
      const BACKUP_FOLDER = join(dataDir, 'backups');
      await writeFile(BACKUP_FOLDER, 'not a folder');
      return { settings: { BACKUP_FOLDER } };
    },
    says: /^FAILURE {2}No backup can be made: \S+backups is a file\. Move it away: backups are kept in a folder of that name\.$/m,
    logs: /^No backup can be made: \S+backups is a file\. Move it away/,
  },
  {
    what: 'the mail server accepts connections and says nothing',
    breakIt: async (_, atEnd) => ({
      settings: { SMTP_URL: `smtp://127.0.0.1:${await silence(atEnd)}`, MAIL_FROM: 'posthorn@example.com' },
    }),
    says: /^FAILURE {2}No mail can be sent, check SMTP_URL: no answer within 5 s$/m,
  },
  {
    what: 'ffmpeg is broken',
    breakIt: async ({ dataDir }) => {
      const FFMPEG_PATH = join(dataDir, 'bin');
      await mkdir(FFMPEG_PATH);
      for (const name of ['ffmpeg', 'ffprobe']) {
        const script = `#!/bin/sh\necho "${name}: error while loading shared libraries: libx264.so.164" >&2\nexit 127\n`;
        await writeFile(join(FFMPEG_PATH, name), script, { mode: 0o755 });
      }
      return { settings: { FFMPEG_PATH } };
    },
    says: /^WARNING {2}ffmpeg does not run: ffmpeg: error while loading shared libraries: libx264\.so\.164\. Install ffmpeg again, or correct FFMPEG_PATH/m,
  },
  {
    what: 'another program is on the port',
    breakIt: async (_, atEnd) => {
      const port = await listen(
        createHttp((_req, res) => res.writeHead(404).end('<h1>Welcome to nginx')),
        atEnd,
      );
      return { settings: { PORT: String(port), BASE_URL: `http://localhost:${port}` } };
    },
    says: /^FAILURE {2}Port \d+ is in use by something that does not answer as Posthorn does \(HTTP 404 <h1>Welcome to nginx\)\. Stop that program, or choose another port with PORT=\d+\./m,
    refuses:
      /^Port \d+ is in use, perhaps by another Posthorn\. Stop that program, or choose another port with PORT=\d+\.$/,
  },
  {
    what: 'the encryption key is lost',
    breakIt: async ({ dataDir }) => {
      await rm(join(dataDir, 'secrets.json'));
      return {};
    },
    says: /^FAILURE {2}Stored secrets cannot be decrypted: 1 key for push messages, 1 webhook secret\. The key "k1" that encrypted them is not in \S+secrets\.json\. Put that key back .+posthorn keys discard-lost.+ No key is here at all/m,
    refuses: /^Stored secrets cannot be decrypted: .+ Put that key back .+ run `posthorn keys discard-lost`/,
  },
  {
    what: 'a post is late, and nothing runs',
    breakIt: async ({ database }) => {
      await database.query("update posts set status = 'Scheduled', scheduled_at = now() - interval '3 hours'");
      return {};
    },
    says: /^FAILURE {2}1 post is late, the first by 3 hours \(due \S+Z\)\. No process is publishing: make sure that a process/m,
  },
  {
    what: 'the clock of the database is five minutes off',
    breakIt: async ({ database, parts }) => {
      await database.query(
        `create function public.clock_timestamp() returns timestamptz language sql
           as $$ select pg_catalog.clock_timestamp() + interval '5 minutes' $$;
         alter database ${parts.database} set search_path = public, pg_catalog`,
      );
      return {};
    },
    says: /^FAILURE {2}The clock of this machine is (299|300)\.\d s behind that of the database\. Synchronise both with NTP/m,
    logs: /^The clock of this machine is (299|300)\.\d s behind that of the database\. Synchronise both with NTP/,
  },
  {
    what: 'MongoDB accepts connections and says nothing',
    breakIt: async (_, atEnd) => ({
      settings: { MONGODB_URL: `mongodb://127.0.0.1:${await silence(atEnd)}/posthorn` },
    }),
    says: /^FAILURE {2}MONGODB_URL cannot be used: .+\. Start MongoDB, or correct the address\.$/m,
  },
  {
    what: 'the network of an account accepts connections and says nothing',
    breakIt: async (installation, atEnd) => {
      await connectedAccount(installation);
      const port = await silence(atEnd);
      return { options: { internet: pretendInternet({ names: { 'bsky.social': [['93.184.216.34']] }, port }) } };
    },
    says: /^WARNING {2}Bluesky could not be reached from here\. Check the internet connection and DNS/m,
  },
  {
    what: 'what listens at BASE_URL accepts connections and says nothing',
    breakIt: async (_, atEnd) => ({
      settings: { BASE_URL: `http://127.0.0.1:${await silence(atEnd)}`, NODE_ENV: 'development' },
    }),
    says: /^note {5}No service answers at \S+ \(no answer within 3 s\)/m,
  },
];

describe('doctor', () => {
  // Side by side, because what never answers is waited for until a bound is over.
  test.concurrent.for(cases.map((one) => [one.what, one] as const))(
    'and the start name it, and what to do: %s',
    async ([, broken], { onTestFinished }) => {
      const installation = await healthy.copy();
      onTestFinished(installation.drop);
      const { settings, options } = await broken.breakIt(installation, onTestFinished);
      const LOG_FILE = join(installation.dataDir, 'posthorn.log');
      const config = installation.configWith({ START_PATIENCE: '0s', LOG_LEVEL: 'warn', LOG_FILE, ...settings });
      const { text, healthy: isHealthy } = await diagnose(config, options);
      expect(text).toMatch(broken.says);
      const level = /[A-Za-z]+/.exec(broken.says.source)?.[0];
      // One line, and not another one for each part that the same trouble stops.
      expect([isHealthy, text.match(/^FAILURE/gm)?.length]).toEqual(
        level === 'FAILURE' ? [false, 1] : [true, undefined],
      );
      if (level !== 'note') expect(text).not.toContain('All is well');
      if (broken.refuses) await expect(start(config)).rejects.toThrow(broken.refuses);
      if (broken.logs) {
        await (await start(config)).stop();
        const lines = (await readFile(LOG_FILE, 'utf8')).trim().split('\n');
        expect(lines.map((line) => JSON.parse(line).msg)).toContainEqual(expect.stringMatching(broken.logs));
      }
    },
  );

  test('ends by itself with the result as its exit code, beside servers that never answer', async ({
    onTestFinished,
  }) => {
    const processes = await createProcesses();
    onTestFinished(processes.clear);
    const port = await silence(onTestFinished);
    const DATABASE_URL = `postgres://posthorn@127.0.0.1:${port}/posthorn`;
    const silent = {
      ...s3(`http://127.0.0.1:${port}`),
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      MAIL_FROM: 'posthorn@example.com',
    };
    const { code, stdout } = await processes.run(['doctor'], { DATABASE_URL, ...silent });
    expect(stdout).toMatch(/\n\n3 failures: (?=.*database)(?=.*media)(?=.*mail).+\.\n$/);
    expect(code).toBe(1);
  });

  test('says that all is well where nothing is broken', async ({ onTestFinished }) => {
    const installation = await healthy.copy();
    onTestFinished(installation.drop);
    const { text, healthy: isHealthy } = await diagnose(installation.configWith());
    expect(text).toMatch(/\n\nAll is well\.$/);
    expect(isHealthy).toBe(true);
  });

  test('gives one statement for all tables of another role, which makes them usable', async ({ onTestFinished }) => {
    const installation = await healthy.copy();
    onTestFinished(installation.drop);
    const { parts, database } = installation;
    const role = `service_${parts.database}`;
    await database.query(`create role ${role} login password 'secret'`);
    onTestFinished(async () => void (await database.query(`drop owned by ${role} cascade; drop role ${role}`)));
    const config = installation.configWith({ DATABASE_URL: urlOf({ ...parts, user: role, password: 'secret' }) });
    const { text } = await diagnose(config);
    const [, statement = ''] =
      /^FAILURE {2}The tables \w+, \w+, \w+ and \d+ more belong .+ run: (select .+) \\gexec$/m.exec(text) ?? [];
    // What \gexec of psql does.
    const { rows } = await database.query<Record<string, string>>(statement);
    for (const row of rows) await database.query(Object.values(row)[0] as string);
    expect((await diagnose(config)).text).toMatch(/\nAll is well\.$/);
  });

  test('prints the line of each check as it ends, and does not wait for the others', async ({ onTestFinished }) => {
    const installation = await healthy.copy();
    onTestFinished(installation.drop);
    const printed: string[] = [];
    // Answers only when everything else has a line.
    const slow = createHttp((_req, res) => {
      const others = [
        /Database answers/,
        /Workspaces: /,
        /No post is late/,
        /GB are free/,
        /No mail is sent/,
        /No service answers/,
      ];
      const wait = setInterval(() => {
        if (!others.every((line) => printed.some((one) => line.test(one)))) return;
        clearInterval(wait);
        res.writeHead(403).end();
      }, 20);
    });
    const { text } = await diagnose(
      installation.configWith(s3(`http://127.0.0.1:${await listen(slow, onTestFinished)}`)),
      {
        print: (line) => printed.push(line),
      },
    );
    expect(printed.join('\n')).toBe(text);
    expect(text).toMatch(/\nFAILURE {2}The store for media cannot be used: .+ answered 403 to GET\./);
    expect(text).toMatch(/\n\n1 failure: media\.$/);
  });
});

test('a check of the start that never ends refuses with what it waits for', async () => {
  const endless = { name: 'media', run: () => new Promise<never>(() => undefined) };
  await expect(runCheck(endless, { ms: 10, again: 'start again' })).rejects.toThrow(
    /^The check of media has no result after 0\.01 s\. Something that it needs does not answer, such as a network drive: mend that, then start again\.$/,
  );
});
