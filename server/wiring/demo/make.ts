import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import type { Role } from '#contracts/scopes';
import { dayMs } from '#contracts/time';
import type { Identity } from '#server/access/auth/identity-provider/identity';
import { type Config, SettingError } from '#server/base/config/config';
import type { Caller } from '#server/base/context';
import type { DueKind } from '#server/base/jobs/due-work';
import { createLog } from '#server/base/logging/log';
import { connectInSandbox } from '#server/simulation/sandbox/sign-up';
import { type OpenService, openService } from '#server/wiring/open-service';
import type { Posthorn } from '#server/wiring/service';
import { demoZone } from './local-time.ts';
import { demoFiles } from './pictures.ts';
import { startReceiver } from './receiver.ts';
import { createDemoStore } from './store.ts';
import { type Cast, pastDays, type Scene, statusFor, webhookHosts, writeScenes } from './story.ts';

/** Work that is due within this time runs in one step, such as the statistics of a post on several accounts. */
const stepMs = 3_000;
const timedWork: readonly DueKind[] = ['posts', 'sends', 'deliveries', 'reads'];
/** Tokens need a refresh only once a day: a send or read that needs new ones refreshes them itself. */
const dailyWork: readonly DueKind[] = ['accounts'];
const workspaceName = 'Rye & Ember';
const ownerName = 'Marta Lind';

/** The handle on each network; Pages add a word of their own. `withoutStatistics` has an account without the permission to read statistics. */
const handles: readonly (readonly [network: string, handle: string])[] = [
  ['x', 'rye_and_ember'],
  ['threads', 'rye.and.ember.daily'],
  ['facebook', 'rye.and.ember'],
  ['instagram', 'rye.and.ember'],
  ['tiktok', 'rye.and.ember.nights'],
  ['youtube', 'rye.and.ember.films'],
  ['pinterest', 'rye.and.ember.recipes'],
  ['bluesky', 'rye-and-ember.example'],
  ['mastodon', 'rye_and_ember'],
  ['pixelfed', 'rye_and_ember_photos'],
  ['linkedin', 'marta.lind'],
  ['linkedin_page', 'rye.and.ember'],
  ['google_business', 'rye.and.ember.shop'],
];
const withoutStatistics = 'threads';

export interface Demo {
  readonly workspaceId: string;
  readonly workspace: string;
  readonly email: string;
  readonly password: string;
  /** A token of the owner, for API calls. */
  readonly token: string;
}

/**
 * Makes a month of a bakery's posts: moves the sandbox clock back, then forward step by step, and lets the service
 * itself run all work that becomes due, on the sandbox networks.
 */
export const makeDemo = async (
  config: Config,
  { again = false, progress = () => undefined }: { again?: boolean; progress?: (text: string) => void } = {},
): Promise<Demo> => {
  mustBeSandbox(config);
  const receiver = await startReceiver(Object.values(webhookHosts), statusFor);
  let url = '';
  const log = createLog({ ...config, logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel }, 2);
  const opened = await openService(config, log, () => url, receiver.internet).catch((error: unknown) => {
    receiver.stop();
    throw error;
  });
  const { posthorn, clock } = opened;
  const { app } = posthorn.openDoors(withoutSignIn(config));
  const outages = new Set<string>();
  const server = express().use(duringOutages(outages), app).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await mustBeAlone(opened);
    return await inThePast(opened, async (now) => {
      const timeZone = demoZone();
      const { cast, demo, suffix } = await createCast(posthorn, again, timeZone);
      progress('Connecting 13 accounts of the sandbox networks');
      const accounts = await connectAccounts(posthorn, cast.owner, {
        suffix,
        here: (to) => to.replace(config.baseUrl, url),
      });
      progress('Drawing pictures and a film');
      const media = await fillLibrary(posthorn, cast);
      await playScenes(
        posthorn,
        writeScenes({ posthorn, cast, accounts, media, outages, now, clock, timeZone }),
        now,
        progress,
      );
      return demo;
    });
  } finally {
    server.close();
    server.closeAllConnections();
    await opened.close();
    receiver.stop();
  }
};

/** A network with an outage answers every request with 503. */
const duringOutages =
  (outages: ReadonlySet<string>): RequestHandler =>
  (req, res, next) => {
    const [, folder, network = ''] = req.path.split('/');
    if (folder === 'sandbox' && outages.has(network)) res.status(503).end();
    else next();
  };

const mustBeSandbox = ({ production, sandboxUrl }: Config) => {
  if (production) throw new SettingError('There is no demo in production: it is made on the sandbox networks.');
  if (sandboxUrl !== undefined) {
    throw new SettingError(
      'The demo needs the sandbox networks of this very process. Unset SANDBOX_URL and try again.',
    );
  }
};

const mustBeAlone = async ({ database, posthorn: { networks, providers } }: OpenService) => {
  const live = networks.all.filter(providers.isLive);
  if (live.length > 0) {
    const settings = live.flatMap(({ settings }) => settings).join(', ');
    throw new SettingError(
      `The demo publishes on sandbox networks only, and ${live.map(({ name }) => name).join(', ')} would be the real one. Unset ${settings}, or use another data folder without them.`,
    );
  }
  if (await createDemoStore(database).isInUse()) {
    throw new SettingError(
      'Posthorn is running on this database, and the demo moves its clock into the past. Stop it, make the demo, and start it again.',
    );
  }
};

/** The HTTP server needs an identity provider, but nobody signs in while the demo is made. */
const withoutSignIn = ({ baseUrl }: Config): Identity => ({
  issuer: baseUrl,
  verifyAccessToken: async () => undefined,
  endSession: async () => undefined,
  forgetUser: async () => undefined,
});

/**
 * Restores the clock afterwards, even after an error. A negative offset is left from a killed demo and is reset too.
 */
const inThePast = async <T>(
  { posthorn: { sandboxClock } }: OpenService,
  work: (now: Date) => Promise<T>,
): Promise<T> => {
  const originalMs = Math.max(await sandboxClock.offsetMs(), 0);
  await sandboxClock.setOffset(originalMs);
  const now = sandboxClock.now();
  await sandboxClock.setOffset(originalMs - pastDays * dayMs);
  try {
    return await work(now);
  } finally {
    await sandboxClock.setOffset(originalMs);
  }
};

/** Creates a workspace with the owner, two members and two agents. */
const createCast = async (posthorn: Posthorn, again: boolean, timeZone: string) => {
  const { people, members, invitations, tokens, audit } = posthorn;
  const demos = (await people.workspaces()).filter(({ name }) => name.startsWith(workspaceName));
  if (demos.length > 0 && !again) {
    throw new SettingError(
      `There is a demo already: the workspace ${demos.map(({ name, id }) => `${name} (${id})`).join(', ')}. With --again another one is made.`,
    );
  }
  const suffix = demos.length === 0 ? '' : String(demos.length + 1);
  const workspace = [workspaceName, suffix].filter(Boolean).join(' ');
  const addressOf = (name: string) => `${name}${suffix}@ryeandember.example`;
  const password = randomBytes(9).toString('base64url');

  const caller = (userId: string, workspaceId: string, role: Role): Caller => ({
    userId,
    workspaceId,
    role,
    mayPublish: true,
    isPerson: true,
  });
  const join = async (host: Caller, name: string, role: Role, ownPassword: string) => {
    const [first = ''] = name.toLowerCase().split(' ');
    const { url } = await invitations.invite(host, { email: addressOf(first), role });
    const userId = await invitations.accept(url.split('/').at(-1) ?? '', { password: ownPassword });
    await people.changeProfile(userId, { name, timeZone });
    return caller(userId, host.workspaceId, role);
  };

  const email = addressOf('marta');
  let owner: Caller;
  if (await people.isEmpty()) {
    const { userId, workspaceId } = await people.setUp({ email, password, workspace });
    await people.changeProfile(userId, { name: ownerName, timeZone });
    owner = caller(userId, workspaceId, 'owner');
  } else {
    // The person who set up this installation becomes a member too, so that they see the demo.
    const [first] = await people.workspaces();
    const host = (await members.list(first?.id ?? '')).find(({ role }) => role === 'owner');
    if (host === undefined) throw new SettingError('No workspace has an owner. Use another data folder.');
    const workspaceId = await people.createWorkspace(host.userId, workspace);
    owner = await join(caller(host.userId, workspaceId, 'owner'), ownerName, 'owner', password);
  }
  const unusedPassword = randomBytes(18).toString('base64url');
  const jonas = await join(owner, 'Jonas Weber', 'admin', unusedPassword);
  const ines = await join(owner, 'Ines Duarte', 'editor', unusedPassword);
  await invitations.invite(owner, { email: `pavel${suffix}@ryeandember.example`, role: 'viewer' });

  const agent = async (name: string) => {
    const { id, token } = await tokens.create(owner, name);
    await audit.write({ event: 'token.created', ...whoOf(owner), details: { id, name } });
    const tokenCaller = await tokens.check(token);
    if (tokenCaller === undefined) throw new Error('a token that was just made does not work');
    return { token, caller: tokenCaller.caller };
  };
  const claude = await agent('Claude Code');
  const cursor = await agent('Cursor');
  const old = await tokens.create(owner, 'Old laptop');
  await tokens.revoke(old.id, owner);
  await audit.write({ event: 'token.revoked', ...whoOf(owner), details: { id: old.id } });
  const cast: Cast = { owner, jonas, ines, claude: claude.caller, cursor: cursor.caller };
  const demo: Demo = { workspaceId: owner.workspaceId, workspace, email, password, token: claude.token };
  return { cast, demo, suffix };
};

const whoOf = ({ workspaceId, userId }: Caller) => ({ workspaceId, userId });

const connectAccounts = async (
  posthorn: Posthorn,
  owner: Caller,
  { suffix, here }: { suffix: string; here: (url: string) => string },
) => {
  const ids = new Map<string, string>();
  for (const [network, handle] of handles) {
    const { statisticsPermission = '' } = posthorn.networks.get(network);
    const without = network === withoutStatistics ? [statisticsPermission] : [];
    const ownHandle = handle.replace(/^[a-z]+/, (word) => word + suffix);
    ids.set(network, await connectInSandbox(posthorn, owner, network, { handle: ownHandle, without, here }));
  }
  return ids;
};

const fillLibrary = async ({ uploads }: Posthorn, { owner, jonas }: Cast) => {
  const ids = new Map<string, string>();
  for (const [index, { key, name, alt, bytes }] of demoFiles.entries()) {
    const file = await bytes();
    const received = await uploads.receive(
      (async function* () {
        yield file;
      })(),
      'file',
    );
    ids.set(key, (await uploads.keep(index % 3 === 2 ? jonas : owner, received, { alt, name })).id);
  }
  return ids;
};

/** Plays the scenes in order, and runs the work that becomes due in between at its time. */
const playScenes = async (
  { jobs, sandboxClock }: Posthorn,
  scenes: Scene[],
  end: Date,
  progress: (text: string) => void,
) => {
  const forward = async (to: number) => {
    const byMs = Math.ceil(to - sandboxClock.now().getTime());
    if (byMs > 0) await sandboxClock.forward(byMs);
    await jobs.runDue(timedWork);
  };
  const playUntil = async (until: number) => {
    for (;;) {
      const ms = await jobs.msToNext(timedWork);
      const next = sandboxClock.now().getTime() + (ms ?? Number.POSITIVE_INFINITY) + stepMs;
      if (next >= until) return forward(until);
      await forward(next);
    }
  };
  let lastDay = -1;
  while (scenes.length > 0) {
    // A scene may add others, so sort again.
    scenes.sort((a, b) => b.at.getTime() - a.at.getTime());
    const scene = scenes.pop();
    if (scene === undefined) break;
    await playUntil(scene.at.getTime());
    await scene.run();
    const day = pastDays - Math.floor((end.getTime() - sandboxClock.now().getTime()) / dayMs);
    if (day === lastDay) continue;
    progress(`Living through day ${Math.min(day, pastDays)} of ${pastDays}`);
    await jobs.runDue(dailyWork);
    lastDay = day;
  }
  await playUntil(end.getTime());
};
