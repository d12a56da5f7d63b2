import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { diagnose } from '#server/cli/doctor';
import { type InstallationCopy, makeHealthyInstallation } from '#test/support/healthy-installation';
import { pretendInternet } from '#test/support/internet';

let healthy: Awaited<ReturnType<typeof makeHealthyInstallation>>;
const closes: (() => void)[] = [];

beforeAll(async () => {
  healthy = await makeHealthyInstallation();
});

afterAll(async () => {
  for (const close of closes) close();
  await healthy.drop();
});

interface Broken {
  readonly settings?: NodeJS.ProcessEnv;
  readonly options?: Parameters<typeof diagnose>[1];
}

interface Case {
  readonly what: string;
  readonly breakIt: (installation: InstallationCopy) => Promise<Broken> | Broken;
  /** FAILURE ends with exit 1, WARNING with 0. */
  readonly says: RegExp;
}

const listen = async (server: Server) => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closes.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
};

/** Accepts every connection, and never sends a byte. */
const silence = () => listen(createServer());

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

const silent: readonly Case[] = [
  {
    what: 'the database accepts connections and says nothing',
    breakIt: async () => ({ settings: { DATABASE_URL: `postgres://posthorn@127.0.0.1:${await silence()}/posthorn` } }),
    says: /^FAILURE {2}The database cannot be used: it does not answer\. Check that PostgreSQL runs, and that DATABASE_URL leads to it\.$/m,
  },
  {
    what: 'S3 accepts connections and says nothing',
    breakIt: async () => ({ settings: s3(`http://127.0.0.1:${await silence()}`) }),
    says: /^FAILURE {2}The store for media cannot be used: no answer within 5 s\. Check S3_ENDPOINT, .+$/m,
  },
  {
    what: 'the mail server accepts connections and says nothing',
    breakIt: async () => ({
      settings: { SMTP_URL: `smtp://127.0.0.1:${await silence()}`, MAIL_FROM: 'posthorn@example.com' },
    }),
    says: /^FAILURE {2}No mail can be sent, check SMTP_URL: no answer within 5 s$/m,
  },
  {
    what: 'MongoDB accepts connections and says nothing',
    breakIt: async () => ({ settings: { MONGODB_URL: `mongodb://127.0.0.1:${await silence()}/posthorn` } }),
    says: /^FAILURE {2}MONGODB_URL cannot be used: .+\. Start MongoDB, or correct the address\.$/m,
  },
  {
    what: 'the network of an account accepts connections and says nothing',
    breakIt: async (installation) => {
      await connectedAccount(installation);
      const port = await silence();
      return { options: { internet: pretendInternet({ names: { 'bsky.social': [['93.184.216.34']] }, port }) } };
    },
    says: /^WARNING {2}Bluesky could not be reached from here\. Check the internet connection and DNS/m,
  },
  {
    what: 'what listens at BASE_URL accepts connections and says nothing',
    breakIt: async () => ({ settings: { BASE_URL: `http://127.0.0.1:${await silence()}`, NODE_ENV: 'development' } }),
    says: /^note {5}No service answers at \S+ \(no answer within 3 s\)/m,
  },
];

describe('doctor', () => {
  // Side by side, because each waits until a bound is over.
  test.concurrent.for(silent)(
    'does not wait for ever, and names it: $what',
    async ({ breakIt, says }, { onTestFinished }) => {
      const installation = await healthy.copy();
      onTestFinished(installation.drop);
      const { settings, options } = await breakIt(installation);
      const { text, healthy: isHealthy } = await diagnose(installation.configWith(settings), options);
      expect(text).toMatch(says);
      const level = /[A-Za-z]+/.exec(says.source)?.[0];
      expect([isHealthy, /FAILURE/.test(text)]).toEqual([level !== 'FAILURE', level === 'FAILURE']);
      if (level !== 'note') expect(text).not.toContain('All is well');
    },
  );

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
    const { text } = await diagnose(installation.configWith(s3(`http://127.0.0.1:${await listen(slow)}`)), {
      print: (line) => printed.push(line),
    });
    expect(printed.join('\n')).toBe(text);
    expect(text).toMatch(/\nFAILURE {2}The store for media cannot be used: .+ answered 403 to GET\./);
    expect(text).toMatch(/\n\n1 failure: media\.$/);
  });
});
