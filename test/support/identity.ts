import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { type CryptoKey, importJWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { pino } from 'pino';
import type { ConsentQuestion } from '#contracts/consent';
import { createIdentityProvider, type IdentityProviderOptions } from '#server/access/auth/identity-provider/embedded';
import { createRateLimits } from '#server/access/auth/rate-limit';
import { createCountStore } from '#server/access/auth/rate-limit-store';
import { createRegistrationStore } from '#server/access/auth/registration-store';
import { createRegistrations } from '#server/access/auth/registrations';
import { createOutbound } from '#server/base/outbound/guarded-client';
import { createSeal } from '#server/base/secrets/seal';
import type { WhoIsSignedIn } from '#server/base/signed-in';
import { openDatabase, sql } from '#server/base/store/database';
import { answerErrors } from '#server/doors/http/errors';
import { tagRequest } from '#server/doors/http/request';
import { createHttpServer } from '#server/doors/http/server';
import { type Browser, createBrowser, type Page } from './browser.ts';
import { selfSigned } from './certificate.ts';
import { freshDatabase, urlOf } from './database.ts';

const certificate = selfSigned();

/** A server of client ID metadata documents, on loopback. */
export const startDocuments = async () => {
  const answers = new Map<string, RequestListener>();
  const asked: string[] = [];
  const server = createServer(certificate, (req, res) => {
    asked.push(req.url ?? '');
    const answer = answers.get(req.url ?? '');
    if (answer) answer(req, res);
    else res.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  let count = 0;
  return {
    host,
    asked,
    /** What the service must trust to read the documents. */
    cert: certificate.cert,
    /** The id of a new client whose document is answered so. */
    answering: (answer: RequestListener) => {
      const path = `/client-${++count}.json`;
      answers.set(path, answer);
      return `https://${host}${path}`;
    },
    client: (more: Record<string, unknown> = {}, headers: Record<string, string> = {}) => {
      const path = `/client-${++count}.json`;
      const id = `https://${host}${path}`;
      const document = {
        client_id: id,
        client_name: 'Desk',
        redirect_uris: ['https://desk.example.com/done'],
        ...more,
      };
      answers.set(path, (_req, res) =>
        res.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(document)),
      );
      return id;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

export type Documents = Awaited<ReturnType<typeof startDocuments>>;
export type Identity = Awaited<ReturnType<typeof startIdentity>>;

/** Reads the signed-in user from a cookie that the test sets, without real sessions. */
const whoIsSignedIn: WhoIsSignedIn = async ({ headers }) => {
  const userId = /(?:^|; )user=(\w+)/.exec(headers.cookie ?? '')?.[1];
  return userId === undefined
    ? undefined
    : {
        userId,
        sessionId: 'ses_1',
        email: `${userId}@example.com`,
        means: ['password'],
        isRecent: true,
        workspace: { id: 'ws_1', name: 'Demo', role: 'owner', canPublish: true, lacksFactor: false },
      };
};

/** The embedded identity provider on an app and a database of its own. */
export const startIdentity = async ({
  documents,
  options = {},
}: {
  documents: Documents;
  options?: Partial<IdentityProviderOptions>;
}) => {
  const { parts, drop } = await freshDatabase({ isMigrated: true });
  const database = openDatabase(parts, { report: () => undefined });
  for (const id of ['usr_ann', 'usr_bob']) {
    await database.run(sql('test.user', 'insert into users (id, email) values ($1, $2)'), [id, `${id}@example.com`]);
  }
  const key = `k1:${randomBytes(32).toString('base64')}`;
  const seal = createSeal([key]);
  let offsetMs = 0;
  const clock = { now: () => new Date(Date.now() + offsetMs) };
  const outbound = createOutbound({ allow: [documents.host], extraCa: certificate.cert });
  const errors: unknown[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => errors.push(JSON.parse(line)) });

  const app = express();
  const server = createHttpServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  /** As the workspaces slice does it. */
  const distrustTokens = async (userId: string) => {
    const distrust = sql('test.distrust', 'update users set tokens_valid_after = $2 where id = $1');
    await database.run(distrust, [userId, clock.now()]);
  };
  const create = () =>
    createIdentityProvider({
      baseUrl: url,
      database,
      outbound,
      seal,
      registrations: createRegistrations({
        store: createRegistrationStore(database),
        rateLimits: createRateLimits({ store: createCountStore(database), clock }),
        perHour: 60,
        clock,
      }),
      whoIsSignedIn,
      distrustTokens,
      clock,
      log,
      ...options,
    });
  const provider = await create();
  app.use(tagRequest({ https: false }));
  // The app's own routes, without its doors.
  app.get('/auth/interaction/:id/question', async (req, res) => {
    res.json(await provider.consent.read({ req, res }, req.params.id));
  });
  app.post('/auth/interaction/:id/answer', express.json(), async (req, res) => {
    const answer = { ...req.body, requestId: req.requestId };
    res.json({ next: await provider.consent.decide({ req, res }, req.params.id, answer) });
  });
  app.use(provider.router, answerErrors(log));
  app.post('/sign-out', async (req, res) => {
    await provider.endSession(req, res);
    res.end();
  });

  const keyRows = () =>
    database.query(
      sql('test.keys', 'select id, sealed_private_key from signing_keys order by created_at').holds<{
        id: string;
        sealedPrivateKey: string;
      }>(),
    );

  const identity = {
    url,
    provider,
    /** One more instance on the same database. */
    create,
    database,
    distrustTokens,
    seal,
    /** Those of a command on the same database. */
    settings: { DATABASE_URL: urlOf(parts), ENCRYPTION_KEYS: key },
    clock,
    log,
    errors,
    keyRows,
    forward: (ms: number) => {
      offsetMs += ms;
    },

    browser: (user?: string) => {
      const browser = createBrowser(url);
      if (user) browser.set('user', user);
      return browser;
    },

    privateKey: async (kid: string) => {
      const row = (await keyRows()).find(({ id }) => id === kid);
      const text = seal.open(row?.sealedPrivateKey ?? '', `signing_keys:${kid}:sealed_private_key`);
      return (await importJWK(JSON.parse(text), 'ES256')) as CryptoKey;
    },

    /** A token as the provider would make it, but for what the test changes. */
    token: async (claims: JWTPayload = {}, header: Partial<JWTHeaderParameters> = {}, key?: CryptoKey | Uint8Array) => {
      const kid = header.kid ?? (await keyRows())[0]?.id ?? '';
      const now = Math.floor(clock.now().getTime() / 1000);
      const usual = {
        iss: `${url}/auth`,
        aud: `${url}/mcp`,
        sub: 'usr_ann',
        client_id: 'https://desk.example.com/client.json',
        jti: 'one',
        scope: 'posts:read',
        iat: now,
        exp: now + 3600,
      };
      const payload = Object.fromEntries(Object.entries({ ...usual, ...claims }).filter(([, value]) => value !== null));
      return new SignJWT(payload)
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header })
        .sign(key ?? (await identity.privateKey(kid)));
    },

    stop: async () => {
      provider.stop();
      server.close();
      server.closeAllConnections();
      await outbound.close();
      await database.close();
      await drop();
    },
  };
  return identity;
};

export const verifier = randomBytes(32).toString('base64url');

/** The address that a client sends its user to. `null` leaves a parameter out. */
export const authorizeUrl = (identity: Identity, clientId: string, changes: Record<string, string | null> = {}) => {
  const usual = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: 'https://desk.example.com/done',
    scope: 'openid offline_access posts:read posts:write',
    resource: `${identity.url}/mcp`,
    state: 'state-1',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  const url = new URL('/auth/authorize', identity.url);
  for (const [name, value] of Object.entries({ ...usual, ...changes })) {
    if (value !== null) url.searchParams.set(name, value);
  }
  return url.href;
};

/** What the consent page reads. `page` is where the browser was led to. */
export const questionOf = async (
  browser: Browser,
  { url }: Page,
): Promise<{ status: number; body: ConsentQuestion }> => {
  const { status, text } = await browser.request(
    'GET',
    `/auth/interaction/${new URL(url).pathname.split('/').at(-1)}/question`,
  );
  return { status, body: JSON.parse(text) };
};

/** The answer of the page, and where it leads. Without `scopes` everything is ticked. */
export const decide = async (
  browser: Browser,
  page: Page,
  { approve = true, scopes }: { approve?: boolean; scopes?: readonly string[] | undefined } = {},
  source?: Record<string, string>,
): Promise<Page> => {
  const given = scopes ?? (await questionOf(browser, page)).body.scopes?.map(({ scope }) => scope) ?? [];
  const path = `/auth/interaction/${new URL(page.url).pathname.split('/').at(-1)}/answer`;
  const answer = await browser.request('POST', path, { approve, scopes: given }, source);
  return answer.status === 200 ? browser.go(JSON.parse(answer.text).next) : answer;
};

export const approve = (browser: Browser, page: Page, scopes?: readonly string[]) => decide(browser, page, { scopes });

/** What the client reads from the address its user came back with. */
export const answerOf = ({ url }: Page): Record<string, string | undefined> => {
  const { search, hash } = new URL(url);
  return Object.fromEntries(new URLSearchParams(search || hash.slice(1)));
};

export const redeem = async (
  identity: Identity,
  clientId: string,
  code: string,
  changes: Record<string, string> = {},
) => {
  const response = await fetch(`${identity.url}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      redirect_uri: 'https://desk.example.com/done',
      code_verifier: verifier,
      ...changes,
    }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string | undefined> };
};

/** Sign-in, consent and code in one go. */
export const codeFor = async (
  identity: Identity,
  clientId: string,
  {
    user = 'usr_ann',
    scopes,
    changes,
  }: { user?: string; scopes?: string[]; changes?: Record<string, string | null> } = {},
) => {
  const browser = identity.browser(user);
  const page = await browser.go(authorizeUrl(identity, clientId, changes));
  return answerOf(await approve(browser, page, scopes)).code ?? '';
};

export const tokenFor = async (...[identity, clientId, options]: Parameters<typeof codeFor>) =>
  (await redeem(identity, clientId, await codeFor(identity, clientId, options))).body.access_token ?? '';
