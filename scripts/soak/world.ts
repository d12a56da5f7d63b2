import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Posthorn } from '#packages/sdk/src/index';
import { startEmbedded } from '#server/base/store/embedded';
import { createProcesses } from '#test/support/processes';
import { startReceiver } from '#test/support/receiver';
import { startBalancer } from './balancer.ts';
import { keepFirstFinals } from './books.ts';
import { createAgent, signInPerson } from './callers.ts';
import { createDatabaseClock, createWorldClock } from './clocks.ts';
import { startDatabaseProxy } from './database-proxy.ts';
import { startInstances } from './instances.ts';
import { startNetworkProxy } from './network-proxy.ts';
import type { Streams } from './random.ts';
import { startTwins } from './twins.ts';

const credentials = { email: 'soak@example.com', password: 'correct horse' };
/** A network that every plan includes. */
const planNetwork = 'bluesky';

export type World = Awaited<ReturnType<typeof buildWorld>>;

/**
 * PostgreSQL, three processes of Posthorn, a balancer before them, the twins of all networks and a webhook's receiver.
 * Everything between them goes through a proxy that can break. Loopback only, in a folder that is removed at the end.
 */
export const buildWorld = async (streams: Streams) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-soak-'));
  chmodSync(folder, 0o711); // PostgreSQL may run as another user
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  let closed: Promise<void> | undefined;
  const closeAll = async () => {
    for (const end of closing.reverse()) await Promise.resolve(end()).catch((error) => console.error(error));
  };
  const close = () => {
    closed ??= closeAll();
    return closed;
  };
  // Ends the child processes however the soak ends.
  const endAtOnce = (reason: unknown) => {
    console.error(reason);
    void close().finally(() => process.exit(1));
  };
  for (const event of ['SIGINT', 'SIGTERM', 'uncaughtException']) {
    process.once(event, endAtOnce);
    closing.push(() => process.off(event, endAtOnce));
  }

  try {
    let postgres = await startEmbedded(folder);
    closing.push(() => postgres.stop());
    const { host, port, user = '', password = '', database } = postgres.config;
    const db = new pg.Pool({ ...postgres.config, max: 3, application_name: 'soak' });
    db.on('error', () => undefined);
    // Connections in use need a listener too, for when the database is restarted.
    db.on('connect', (connection) => void connection.on('error', () => undefined));
    closing.push(() => db.end());
    const databaseProxy = await startDatabaseProxy(join(host, `.s.PGSQL.${port}`));
    closing.push(databaseProxy.stop);

    const clock = createWorldClock();
    const databaseClock = createDatabaseClock(db, clock);
    const balancer = await startBalancer();
    closing.push(balancer.close);
    const twins = await startTwins({ clock, fetchMedia });
    closing.push(twins.stop);
    const delays = streams('delay');
    const networkProxy = await startNetworkProxy({
      twinsPort: twins.port,
      clock,
      delayMs: () => delays.between(20, 100),
    });
    closing.push(networkProxy.stop);
    const receiver = await startReceiver();
    closing.push(receiver.stop);

    const settings = {
      DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${databaseProxy.port}/${database}`,
      BASE_URL: balancer.url,
      SANDBOX_URL: networkProxy.url,
      SEND_LEASE_SECONDS: '10',
      NETWORK_TIMEOUT_SECONDS: '5',
      REQUESTS_PER_MINUTE: '1000000',
      SIGN_INS_PER_HOUR: '1000000',
      LOG_LEVEL: 'fatal',
      ...receiver.settings(),
    };
    const processes = await createProcesses(undefined, settings);
    closing.push(processes.clear);
    const { email } = credentials;
    const owner = ['--email', email, '--password', credentials.password];
    const { token = '', workspaceId = '' } = await processes.ask(
      'setup',
      ...owner,
      '--workspace',
      'Soak',
      '--token-name',
      'soak',
    );
    await keepFirstFinals(db);
    const { PATH, HOME, TMPDIR } = process.env;
    const instances = await startInstances({
      settings: { PATH, HOME, TMPDIR, POSTHORN_DATA: processes.dataDir, ...settings },
      folder,
      balancer,
      clock,
      describeSessions: () => describeSessions(db),
    });
    closing.push(instances.close);

    const person = await signInPerson(balancer.url, credentials);
    person.stayIn(workspaceId);
    const connect = async (by: typeof person, networks: readonly string[]) => {
      const { status, body } = await by.click('/api/app/sandbox/accounts', { networks });
      if (status !== 200) throw new Error(`accounts: ${status} ${JSON.stringify(body)}`);
      return new Map(networks.map((network, index) => [network, (body.accountIds as string[])[index] ?? '']));
    };
    const accounts = await connect(person, twins.networks);
    const { workspaceId: planWorkspaceId, person: planPerson } = await openPlanWorkspace(balancer.url);
    await processes.ask('plan', 'set', '--workspace', planWorkspaceId, '--plan', 'free');
    const planAccounts = await connect(planPerson, [planNetwork]);

    return {
      db,
      databaseProxy,
      clock,
      databaseClock,
      twins,
      networkProxy,
      receiver,
      instances,
      accounts,
      dataFolder: processes.dataDir,
      callers: {
        client: new Posthorn({ token, baseUrl: balancer.url, maxRetries: 12, timeoutMs: 15_000 }),
        person,
        agent: createAgent(balancer.url, token),
      },
      plan: {
        workspaceId: planWorkspaceId,
        person: planPerson,
        accountId: planAccounts.get(planNetwork) ?? '',
        limit: 30,
      },

      restartDatabase: async (inBetween: () => Promise<unknown>) => {
        await postgres.stop();
        await inBetween();
        postgres = await startEmbedded(folder);
      },

      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

/** Retries like a real network, then gives up, and the post is refused. */
const fetchMedia = async (url: string) => {
  for (let attempt = 0; attempt < 8; attempt++) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    const bytes = answer?.ok ? await answer.arrayBuffer().catch(() => undefined) : undefined;
    if (answer && bytes) return { mimeType: answer.headers.get('content-type') ?? '', bytes: Buffer.from(bytes) };
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return undefined;
};

const openPlanWorkspace = async (url: string) => {
  const person = await signInPerson(url, credentials);
  const { status, body } = await person.click('/api/app/workspaces', { name: 'Small plan' });
  if (status !== 200) throw new Error(`workspace: ${status} ${JSON.stringify(body)}`);
  const { id: workspaceId } = body.workspace as { id: string };
  person.stayIn(workspaceId);
  return { workspaceId, person };
};

/** For a start that hangs: what the sessions of PostgreSQL do, and whom they wait for. */
const describeSessions = async (db: pg.Pool) => {
  const { rows } = await db.query(
    `select pid, application_name as name, state, wait_event as waits, pg_blocking_pids(pid) as for,
            round(extract(epoch from clock_timestamp() - state_change)) as seconds, left(query, 80) as query
       from pg_stat_activity where backend_type = 'client backend' and state <> 'idle' order by state_change`,
  );
  return rows.map((row) => JSON.stringify(row)).join('\n');
};
