import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import { pino } from 'pino';
import sharp from 'sharp';
import type { Role } from '#contracts/scopes';
import { Posthorn as Client } from '#packages/sdk/src/index';
import { findAction, runNow } from '#server/agents/admission';
import { createMovableClock, type Stopwatch } from '#server/base/clock';
import { readConfig } from '#server/base/config/config';
import type { Caller } from '#server/base/context';
import { newId } from '#server/base/ids';
import { createOutbound, type OutboundOptions } from '#server/base/outbound/guarded-client';
import { createSeal } from '#server/base/secrets/seal';
import { openDatabase, sql } from '#server/base/store/database';
import { createHttpServer } from '#server/doors/http/server';
import { connectInSandbox } from '#server/simulation/sandbox/sign-up';
import { createSandboxClockStore } from '#server/simulation/sandbox/store';
import { freshDatabase } from './database.ts';
import { watchAnswers } from './declared-answers.ts';
import { openPosthorn, type TestOverrides } from './posthorn.ts';
import { freePort } from './processes.ts';
import { until } from './until.ts';

const password = 'correct horse';
/** Making or checking a hash of the service takes 40 ms of CPU. A hash carries its own cost, so this one is cheap to check. */
const quickHash = hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });

export type Service = Awaited<ReturnType<typeof startService>>;

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on what came, whatever it is
  body: any;
}

/** The whole service on its own database and a free port. Its clock is moved by the test. */
export const startService = async (
  settings: NodeJS.ProcessEnv = {},
  {
    empty = false,
    production = false,
    ownAddress = false,
    host = '127.0.0.1',
    internet = {},
    webhooks = {},
    addressesMs,
    freeBytes,
    startStopwatch,
  }: {
    empty?: boolean;
    /** The rules of production, without the addresses it requires. */
    production?: boolean;
    /** BASE_URL is where it listens: on a free port, or on this one. */
    ownAddress?: boolean | number;
    /** Another name of this machine, for what browsers refuse to an IP address. */
    host?: string;
    internet?: OutboundOptions;
    webhooks?: Pick<TestOverrides, 'allowedWebhooks' | 'webhookAnswerMs'>;
    addressesMs?: number;
    freeBytes?: () => Promise<number>;
    startStopwatch?: () => Stopwatch;
  } = {},
) => {
  const { parts, drop } = await freshDatabase({ isMigrated: true });
  const port = ownAddress === true ? await freePort() : Number(ownAddress);
  const dataDir = await mkdtemp(join(tmpdir(), 'posthorn-test-'));
  const settled = readConfig({
    POSTHORN_DATA: dataDir,
    REQUESTS_PER_MINUTE: '100000',
    BASE_URL: ownAddress ? `http://${host}:${port}` : 'http://posthorn.test',
    ...settings,
  });
  const encryptionKeys = settled.encryptionKeys ?? [`k1:${randomBytes(32).toString('base64')}`];
  const config = { ...settled, encryptionKeys, production: production || settled.production };
  const faults: Error[] = [];
  const database = openDatabase(parts, { report: (error) => faults.push(error) });
  const clock = createMovableClock();
  const wallClock = createMovableClock();
  let wallOffsetMs = 0;
  const outbound = createOutbound({ ...config.outbound, ...internet });
  const { lines, log } = recordedLog();
  const seal = createSeal(encryptionKeys);
  let url = '';
  const posthorn = openPosthorn(
    { database, outbound, seal, config, clock, wallClock, ownUrl: () => url, log },
    {
      ...webhooks,
      ...(addressesMs !== undefined && { addressesMs }),
      ...(freeBytes && { freeBytes }),
      ...(startStopwatch && { startStopwatch }),
    },
  );
  const identity = await posthorn.openIdentity();
  const { app, health } = posthorn.openDoors(identity);
  posthorn.live.start();
  const server = createHttpServer(app);
  const undeclared = watchAnswers(server);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  url = `http://${host}:${(server.address() as AddressInfo).port}`;

  const setPassword = async <Person extends { userId: string }>(person: Person): Promise<Person> => {
    const change = sql('test.quickHash', 'update users set password_hash = $1 where id = $2');
    await database.run(change, [await quickHash, person.userId]);
    return person;
  };
  const first = { email: 'owner@example.com', workspace: 'Demo' };
  const owner = empty ? { userId: '', workspaceId: '' } : await setPassword(await posthorn.people.setUp(first));
  await until('it hears of changes', posthorn.live.isListening);
  const { token } = empty ? { token: '' } : await posthorn.tokens.create(owner, 'Test');
  let people = 0;
  let media = 0;

  const service = {
    url,
    token,
    owner,
    /** The clock of the domain code and the database. */
    clock: {
      ...clock,
      // Without the permission check of the sandbox clock.
      forward: async (byMs: number) => {
        await createSandboxClockStore(database).move(byMs);
        await posthorn.sandboxClock.read();
      },
    },
    /** The clock of sessions, invitations and rate limits. */
    wallClock: {
      ...wallClock,
      forward: (byMs: number) => {
        wallOffsetMs += byMs;
        wallClock.setOffset(wallOffsetMs);
      },
      /** To the start of the next window: rate limits count per full minute or hour. */
      toNext: (windowMs: number) => {
        service.wallClock.forward(windowMs - (wallClock.now().getTime() % windowMs));
      },
    },
    config,
    parts,
    database,
    posthorn,
    outbound,
    seal,
    log,
    ownUrl: () => url,
    health,
    logLines: lines,
    client: new Client({ token: () => token, baseUrl: url, maxRetries: 0 }),

    /** Posts any body to an action. */
    call: async (action: string, body: unknown = {}, headers: Record<string, string> = {}) =>
      service.request('POST', `/api/agent/tools/${action}`, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body),
      }),

    request: async (method: string, path: string, init: RequestInit = {}): Promise<Answer> => {
      const response = await fetch(url + path, { redirect: 'manual', ...init, method });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json');
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    },

    /** A new browser, with a cookie and the header `origin`. */
    browser: () => {
      let cookie = '';
      const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
        const answer = await service.request(method, path, {
          headers: { cookie, origin: config.baseUrl, 'content-type': 'application/json', ...headers },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        for (const set of answer.headers.getSetCookie()) cookie = set.split(';')[0] ?? '';
        return answer;
      };
      return {
        get: (path: string, headers?: Record<string, string>) => send('GET', path, undefined, headers),
        post: (path: string, body: unknown = {}, headers?: Record<string, string>) => send('POST', path, body, headers),
        patch: (path: string, body: unknown, headers?: Record<string, string>) => send('PATCH', path, body, headers),
        delete: (path: string, headers?: Record<string, string>) => send('DELETE', path, undefined, headers),
        cookie: () => cookie,
        signIn: (email = 'owner@example.com', secret = password) =>
          send('POST', '/api/auth/sign-in', { email, password: secret }),
      };
    },

    /** An action by a person in the app, whose click is the approval. */
    asHuman: async (name: string, input: unknown, as: Partial<Caller> = {}) => {
      const action = findAction(posthorn.actions, name);
      const caller: Caller = { ...owner, role: 'owner', mayPublish: true, isPerson: true, ...as };
      // biome-ignore lint/suspicious/noExplicitAny: as above
      return (await runNow(action, action.admit(input, caller))).value as any;
    },

    addMember: async (role: Role) => {
      const email = `member${++people}@example.com`;
      const member = await setPassword(await posthorn.people.addMember(owner.workspaceId, { email, role }));
      return { ...member, email, ...(await posthorn.tokens.create(member, role)) };
    },

    /** Another workspace, with a token of its owner. */
    addWorkspace: async () => {
      const id = `ws_OTHER${++people}`;
      await database.query(sql('test.workspace', "insert into workspaces (id, name) values ($1, 'Other')"), [id]);
      const email = `other${people}@example.com`;
      const member = await setPassword(await posthorn.people.addMember(id, { email, role: 'owner' }));
      return { ...member, email, ...(await posthorn.tokens.create(member, 'Other')) };
    },

    /** An account without access, for tests that never publish with it. */
    addAccount: async (network: string, workspaceId = owner.workspaceId) => {
      const handle = `${network}${++people}`;
      const id = newId('account', clock.now());
      await database.query(
        sql(
          'test.account',
          `insert into accounts (id, workspace_id, network, external_id, name, handle, granted_scopes, sandbox)
           values ($1, $2, $3, $4, $4, $4, $5, true)`,
        ),
        [id, workspaceId, network, handle, [posthorn.networks.get(network).statisticsPermission ?? '']],
      );
      return id;
    },

    /** An account on the sandbox of a network, connected as a person does it. */
    connect: (network: string, { handle = `${network}${++people}`, without = [] as string[] } = {}) =>
      connectInSandbox(posthorn, { ...owner, role: 'owner', mayPublish: true, isPerson: true }, network, {
        handle,
        without,
        here: (to) => to.replace(config.baseUrl, url),
      }),

    /** Starts publishing and other jobs, as `posthorn start` does. */
    startJobs: () => posthorn.jobs.start(),

    /** Runs a recurring chore now. */
    runChore: async (name: string) => {
      const chore = posthorn.chores[name];
      if (chore === undefined) throw new Error(`there is no chore "${name}"`);
      return chore.run();
    },

    feed: (network: string) => posthorn.sandboxes.feed(network, 100),

    events: async () =>
      database.query(
        sql('test.events', 'select id, type, data from events order by id').holds<{
          id: string;
          type: string;
          data: Record<string, unknown>;
        }>(),
      ),

    /** A real image, uploaded. */
    addFile: async () => {
      const form = new FormData();
      const bytes = await sharp({ create: { width: 1080, height: 1080, channels: 3, background: '#8a4b08' } })
        .jpeg()
        .toBuffer();
      form.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'horn.jpg');
      const headers = { authorization: `Bearer ${token}` };
      return (await service.request('POST', '/api/media', { headers, body: form })).body.id as string;
    },

    /** The row of an uploaded file, without the file. */
    addMedia: async (
      file: { kind?: string; mime?: string; bytes?: number; width?: number; height?: number; durationMs?: number } = {},
    ) => {
      const id = `media_01J000000000000000000${String(++media).padStart(5, '0')}`;
      const {
        kind = 'Image',
        mime = 'image/jpeg',
        bytes = 1000,
        width = 1200,
        height = 1000,
        durationMs = null,
      } = file;
      await database.query(
        sql(
          'test.media',
          `insert into media (id, workspace_id, kind, mime_type, bytes, width, height, duration_ms)
           values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        ),
        [id, owner.workspaceId, kind, mime, bytes, width, height, durationMs],
      );
      return id;
    },

    /** Sets a status that only publishing reaches. */
    setStatus: async (id: string, status: string) => {
      await database.query(sql('test.status', 'update posts set status = $2 where id = $1'), [id, status]);
    },

    count: async (table: 'posts' | 'accounts' | 'idempotent_answers' | 'registered_clients') =>
      Number(
        (
          await database.query(sql(`test.count.${table}`, `select count(*) from ${table}`).holds<{ count: string }>())
        )[0]?.count,
      ),

    stop: async () => {
      await posthorn.jobs.stop(5_000);
      await posthorn.close();
      server.close();
      server.closeAllConnections();
      identity.stop?.();
      await outbound.close();
      // Read first: dropping the database breaks open connections, which is no fault.
      const [fault] = [...faults];
      await database.close().catch(() => undefined); // a test may have closed it
      await drop();
      await rm(dataDir, { recursive: true, force: true });
      if (fault) throw fault;
      if (undeclared.size > 0)
        throw new Error(`answers that the OpenAPI document does not declare: ${[...undeclared].join(', ')}`);
    },
  };
  return service;
};

const recordedLog = () => {
  const lines: string[] = [];
  return { lines, log: pino({ level: 'info' }, { write: (line: string) => lines.push(line) }) };
};
