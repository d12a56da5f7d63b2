import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { Logger } from 'pino';
import { actions, catalog } from '#generated/catalog';
import { createHandlers } from '#generated/handlers';
import { mcpTools } from '#generated/mcp-tools';
import { networks as networkFolders, sandboxes as sandboxFolders } from '#generated/networks';
import { serveRoutes } from '#generated/router';
import { createAccountAccess } from '#server/accounts/access';
import { createAccounts } from '#server/accounts/accounts';
import { createAvatars } from '#server/accounts/avatars';
import { createConnecting } from '#server/accounts/connecting';
import { createReach } from '#server/accounts/reach';
import { accountRoutes } from '#server/accounts/routes';
import { createAccountStore, createAppStore, createAvatarStore, createConnectionStore } from '#server/accounts/store';
import { analyticsRoutes } from '#server/analytics/routes';
import { createAnalyticsStore } from '#server/analytics/store';
import { createAnalytics } from '#server/analytics/summary';
import { createApprovalCards } from '#server/approvals/cards';
import { approvalRoutes } from '#server/approvals/routes';
import { createApprovalStore } from '#server/approvals/store';
import { createSubjects } from '#server/approvals/subject';
import { createAuditLog } from '#server/audit/audit-log';
import { auditRoutes } from '#server/audit/routes';
import { createAuditStore } from '#server/audit/store';
import { createClients } from '#server/auth/clients';
import type { Consent } from '#server/auth/identity-provider/interactions';
import { type AccessToken, createMcpAccess } from '#server/auth/mcp-access';
import { createOneTimeSecrets } from '#server/auth/one-time-secrets';
import { createPasswordTries } from '#server/auth/password-tries';
import { createPersonalTokens } from '#server/auth/personal-tokens';
import { accessRoutes, consentRoutes } from '#server/auth/routes';
import { createSessions } from '#server/auth/sessions';
import {
  createAccessStore,
  createClientStore,
  createSecretStore,
  createSessionStore,
  createTokenStore,
  createTryStore,
} from '#server/auth/store';
import {
  type Clock,
  type MovableClock,
  type Stopwatch,
  startStopwatch as startSystemStopwatch,
  systemClock,
} from '#server/clock';
import { type Config, incomingFolder, isPublicAddress, mediaFolder, packageRoot, webFolder } from '#server/config';
import { createFigures } from '#server/figures';
import { actionRoute } from '#server/http/action-route';
import { createGuards } from '#server/http/app-routes';
import { createAuthenticate } from '#server/http/authenticate';
import { avatarBytes } from '#server/http/avatar-bytes';
import { docsPages } from '#server/http/docs';
import { answerErrors, noSuchPath } from '#server/http/errors';
import { createHealth } from '#server/http/health';
import { liveEvents } from '#server/http/live-events';
import { logRequests } from '#server/http/log';
import { mediaBytes } from '#server/http/media-bytes';
import { createOperatorCheck, metricsPage } from '#server/http/metrics';
import { patience } from '#server/http/patience';
import { createRateLimit } from '#server/http/rate-limit';
import { greet } from '#server/http/request';
import { createSessionDoor } from '#server/http/session';
import { uploadRoute } from '#server/http/upload';
import { createWebApp } from '#server/http/web-files';
import { createIdempotentAnswers } from '#server/idempotency/answers';
import { createIdempotencyStore } from '#server/idempotency/store';
import { createJobs } from '#server/jobs/jobs';
import { createLive } from '#server/live/live';
import { createLiveStore } from '#server/live/store';
import { createMcpEndpoint } from '#server/mcp/endpoint';
import { createLocalFiles } from '#server/media/files';
import { createIncoming } from '#server/media/incoming';
import { createMediaLibrary } from '#server/media/library';
import { mediaRoutes } from '#server/media/routes';
import { createS3Files } from '#server/media/s3-files';
import { createMediaStore } from '#server/media/store';
import { createSweep } from '#server/media/sweep';
import { createUploads } from '#server/media/uploads';
import type { Network } from '#server/networks/network';
import { createNetworks } from '#server/networks/registry';
import { createRequest } from '#server/networks/request';
import { createSites } from '#server/networks/sites';
import type { Outbound } from '#server/outbound/outbound';
import { pageRoutes } from '#server/pages/routes';
import { scriptRoutes } from '#server/pages/script';
import { styleRoutes } from '#server/pages/style';
import { createPlans } from '#server/plans/plans';
import { planRoutes } from '#server/plans/routes';
import { createPlanStore } from '#server/plans/store';
import { createDrafts } from '#server/posts/drafts';
import { createLifecycle } from '#server/posts/lifecycle';
import { createOutcomes } from '#server/posts/outcome';
import { createOverview } from '#server/posts/overview';
import { createReading } from '#server/posts/reading';
import { postRoutes } from '#server/posts/routes';
import { createPostStore } from '#server/posts/store';
import { createProviders } from '#server/providers/providers';
import { createPublishing } from '#server/publishing/publishing';
import { createPublishingStore } from '#server/publishing/store';
import { createDueLoop } from '#server/queue';
import { prepareActions } from '#server/run-action';
import { createSandboxClock } from '#server/sandbox/clock';
import { createSandboxFeed } from '#server/sandbox/feed';
import { createMediaFetch, createSandboxOutbound } from '#server/sandbox/own-requests';
import { sandboxRoutes } from '#server/sandbox/routes';
import { createSandboxes } from '#server/sandbox/sandboxes';
import { createSandboxClockStore, createSandboxStore } from '#server/sandbox/store';
import type { Seal } from '#server/seal';
import { createReads } from '#server/statistics/reads';
import { statisticsRoutes } from '#server/statistics/routes';
import { createStatistics } from '#server/statistics/statistics';
import { createStatisticsStore } from '#server/statistics/store';
import type { Database } from '#server/store/database';
import { createOpenPage } from '#server/ui/open-page';
import { createUiStore } from '#server/ui/store';
import { createDelivering } from '#server/webhooks/delivering';
import { createDeliveries } from '#server/webhooks/delivery-loop';
import { createEvents } from '#server/webhooks/events';
import type { AllowedWebhooks } from '#server/webhooks/plan-limit';
import { webhookRoutes } from '#server/webhooks/routes';
import { createDeliveryStore, createEventStore, createWebhookStore } from '#server/webhooks/store';
import { createWebhooks } from '#server/webhooks/webhooks';
import { createMembers } from '#server/workspaces/members';
import { type OutsideSignIn, outsideSignIn } from '#server/workspaces/outside-sign-in';
import { createPeople } from '#server/workspaces/people';
import { workspaceRoutes } from '#server/workspaces/routes';
import { createWorkspaceStore } from '#server/workspaces/store';
import { createWelcome } from '#server/workspaces/welcome';

export type Posthorn = ReturnType<typeof createPosthorn>;

/** All rules of the service on one database; the doors and the command line both use them. */
export const createPosthorn = ({
  database,
  outbound,
  seal,
  config,
  clock,
  wallClock = systemClock,
  ownUrl,
  log,
  allowedWebhooks,
  webhookAnswerMs = 10_000,
  startStopwatch = () => startSystemStopwatch(),
}: {
  database: Database;
  outbound: Outbound;
  seal: Seal;
  config: Config;
  clock: MovableClock;
  /** What people, their sessions and their limits live by: the sandbox does not move it. */
  wallClock?: Clock;
  /** Where this very process listens, known once it does. */
  ownUrl: () => string;
  log: Logger;
  /** Instead of what the plan says. */
  allowedWebhooks?: AllowedWebhooks;
  webhookAnswerMs?: number;
  startStopwatch?: () => Stopwatch;
}) => {
  const networks = createNetworks(networkFolders);
  const { baseUrl, production, setting, networkTimeoutMs } = config;
  const report = (error: unknown) => log.error({ err: error }, 'work in the background failed');
  const postStore = createPostStore(database);
  const publishingStore = createPublishingStore(database);
  const figures = createFigures({ overdue: publishingStore.overdue });

  const tokens = createPersonalTokens({ store: createTokenStore(database), clock });
  const live = createLive({ store: createLiveStore(database) });
  const { accessChanged } = live;
  const sessions = createSessions({ store: createSessionStore(database), clock: wallClock, accessChanged });
  const audit = createAuditLog({ store: createAuditStore(database), clock });
  const clients = createClients({ store: createClientStore(database), audit, clock: wallClock });
  const tries = createPasswordTries({ store: createTryStore(database), clock: wallClock });
  const secrets = createOneTimeSecrets({ store: createSecretStore(database), clock: wallClock });
  const plans = createPlans({ store: createPlanStore(database), clock });
  const workspaceStore = createWorkspaceStore(database);
  const people = createPeople({
    store: workspaceStore,
    audit,
    newWorkspaces: config.newWorkspaces,
    forgetEverything: async (userId) => {
      await sessions.endOthers(userId);
      await tokens.revokeAll({ userId });
      await clients.endAll(userId);
    },
    clock: wallClock,
  });
  const mayWelcome = !production && config.databaseUrl === undefined;
  const welcome = createWelcome({ people, sessions, secrets, audit, production, mayWelcome });
  const members = createMembers({
    store: workspaceStore,
    people,
    audit,
    plans,
    accessChanged,
    endTokens: tokens.revokeAll,
    baseUrl,
    clock: wallClock,
  });
  const events = createEvents({ store: createEventStore(database), clock });

  const sandboxUrl = () => config.sandboxUrl ?? ownUrl();
  const sandboxOutbound = createSandboxOutbound(sandboxUrl);
  const mediaOutbound = createSandboxOutbound(ownUrl);
  const sites = createSites({
    live: createRequest(outbound, networkTimeoutMs),
    sandbox: {
      request: createRequest(sandboxOutbound, networkTimeoutMs),
      url: sandboxUrl,
      baseUrl: config.sandboxUrl ?? baseUrl,
    },
    setting,
    clock,
  });
  const sandboxes = createSandboxes({
    twins: sandboxFolders,
    store: createSandboxStore(database),
    clock,
    baseUrl,
    fetchMedia: createMediaFetch({ outbound: mediaOutbound, baseUrl, ownUrl }),
  });

  const accountStore = createAccountStore(database);
  const sandboxClock = createSandboxClock({
    store: createSandboxClockStore(database),
    clock,
    production,
    hasLiveAccount: accountStore.hasLive,
  });
  const sandboxFeed = createSandboxFeed({ sandboxes, sandboxClock, networks, baseUrl });
  const accounts = createAccounts({ store: accountStore, networks, live });
  const providers = createProviders({ networks, baseUrl, production, setting });
  const redirectUri = ({ key }: Network) => `${baseUrl}/connect/${key}/callback`;
  const reach = createReach({
    store: createAppStore(database),
    sites,
    seal,
    sandboxUrl,
    redirectUri,
    website: baseUrl,
  });
  const access = createAccountAccess({ store: accountStore, reach, networks, events, live, clock, report });
  const statisticsStore = createStatisticsStore(database);
  const connecting = createConnecting({
    store: createConnectionStore(database),
    accountStore,
    reach,
    access,
    networks,
    plans,
    audit,
    live,
    outbound,
    ...providers,
    reconnected: statisticsStore.readSoon,
    redirectUri,
    seal,
    clock,
  });

  const avatars = createAvatars({ store: createAvatarStore(database), outbound });

  const mediaStore = createMediaStore(database);
  const files = config.media.s3 ? createS3Files(config.media.s3) : createLocalFiles(mediaFolder(config));
  const incoming = createIncoming({ folder: incomingFolder(config), limits: config.media });
  const library = createMediaLibrary({ store: mediaStore, files, isUsed: postStore.usesMedia, baseUrl });
  const uploads = createUploads({ store: mediaStore, files, incoming, outbound, live, baseUrl, clock });
  const sweepOrphans = createSweep({ store: mediaStore, files, incoming, clock });
  const openPage = createOpenPage({ store: createUiStore(database) });
  const reading = createReading({ store: postStore });
  const overview = createOverview({ store: postStore, library });
  const outcomes = createOutcomes({ store: postStore, events, live });
  const lifecycle = createLifecycle({
    store: postStore,
    accounts,
    library,
    networks,
    plans,
    outcomes,
    reachable: isPublicAddress(baseUrl),
    clock,
  });
  const drafts = createDrafts({ store: postStore, accounts, library, networks, lifecycle, clock });
  const statistics = createStatistics({ store: statisticsStore, networks, reading });
  const reads = createReads({ store: statisticsStore, networks, access: access.forReading, clock, report });
  const analytics = createAnalytics({ store: createAnalyticsStore(database), networks });
  const answers = createIdempotentAnswers({ store: createIdempotencyStore(database), clock });
  const publishing = createPublishing({
    store: publishingStore,
    networks,
    access,
    library,
    outcomes,
    figures: figures.publishing,
    perNetwork: config.sendsPerNetwork,
    leaseMs: config.sendLeaseMs,
    startStopwatch,
    graceMs: config.lateGraceMs,
    clock,
    report,
  });

  const deliveryStore = createDeliveryStore(database);
  const webhooks = createWebhooks({
    store: createWebhookStore(database),
    deliveries: deliveryStore,
    events,
    outbound,
    seal,
    audit,
    live,
    allowedWebhooks: allowedWebhooks ?? plans.webhooks,
    clock,
  });
  const deliver = createDelivering({
    store: deliveryStore,
    audit,
    live,
    outbound,
    seal,
    allowedWebhooks: allowedWebhooks ?? plans.webhooks,
    // A receiver compares the time of the signature with its own clock, which the sandbox does not move.
    clock: systemClock,
    answerTimeoutMs: webhookAnswerMs,
  });
  const deliveries = createDeliveries({ store: deliveryStore, deliver, startStopwatch, report });

  const handlers = createHandlers({
    accounts,
    providers,
    library,
    openPage,
    reading,
    lifecycle,
    drafts,
    statistics,
    analytics,
  });
  const runnable = prepareActions(actions, handlers);
  const cards = createApprovalCards({
    store: createApprovalStore(database),
    subjects: createSubjects({ reading, lifecycle, library, accounts }),
    reading,
    accounts,
    lifecycle,
    actions: runnable,
    audit,
    live,
    baseUrl,
    clock,
  });
  const jobs = createJobs({
    database,
    loops: {
      posts: publishing.posts,
      sends: publishing.sends,
      deliveries,
      accounts: createDueLoop(access.work),
      reads,
    },
    chores: {
      'remove old sessions': { every: '1 hour', run: sessions.purge },
      'remove old one-time links': { every: '1 hour', run: secrets.purge },
      'forget wrong passwords': { every: '1 hour', run: tries.purge },
      'remove old idempotent answers': { every: '1 hour', run: answers.purge },
      'close old approval cards': { every: '10 minutes', run: cards.expire },
      'remove files without a media item': { every: '1 hour', run: sweepOrphans },
      'remove unfinished connections': { every: '1 hour', run: connecting.purge },
      'remove old deliveries and events': { every: '1 hour', run: webhooks.purge },
      'remove the plan usage of past months': { every: '1 day', run: plans.purge },
    },
    clockMoved: sandboxClock.read,
    report,
  });
  return {
    actions: runnable,
    answers,
    tokens,
    clients,
    tries,
    sessions,
    people,
    members,
    plans,
    welcome,
    cards,
    audit,
    live,
    accounts,
    avatars,
    connecting,
    networks,
    providers,
    sandboxes,
    sandboxClock,
    sandboxFeed,
    reading,
    overview,
    lifecycle,
    library,
    uploads,
    statistics,
    analytics,
    sweepOrphans,
    jobs,
    figures,
    mediaFiles: files,
    close: async () => {
      await sandboxOutbound.close();
      await mediaOutbound.close();
    },
    events,
    webhooks,
    deliveries,
  };
};

/** Who vouches for MCP clients: the embedded identity provider or an outside one. */
export interface Identity {
  readonly issuer: string;
  verifyAccessToken(token: string): Promise<AccessToken | undefined>;
  endSession(req: Request, res: Response): Promise<void>;
  forgetUser(userId: string): Promise<void>;
  /** The embedded provider's own paths. */
  readonly router?: Router;
  /** Absent: people sign in with a password. */
  readonly outsideSignIn?: OutsideSignIn;
  /** Of the embedded provider. */
  readonly consent?: Consent;
  /** Removes what has expired. */
  purge?(): Promise<unknown>;
  stop?(): void;
}

/** With AUTH_URL an outside provider, else the embedded one. Always by the wall clock, which is in its tokens. */
export const openIdentity = async ({
  posthorn: { sessions, people, clients },
  database,
  seal,
  outbound,
  config,
  clock,
  log,
}: {
  posthorn: Posthorn;
  database: Database;
  seal: Seal;
  outbound: Outbound;
  config: Config;
  clock: Clock;
  log: Logger;
}): Promise<Identity> => {
  const shared = { baseUrl: config.baseUrl, database, seal, clock, log };
  // Imported by the service alone: what they bring is large, and no command needs it.
  if (config.outsideProvider) {
    const { createOutsideIdentity } = await import('#server/auth/identity-provider/outside');
    return createOutsideIdentity({ ...config.outsideProvider, ...shared });
  }
  const { createIdentityProvider } = await import('#server/auth/identity-provider/embedded');
  const door = createSessionDoor({ sessions, baseUrl: config.baseUrl });
  return createIdentityProvider({
    ...shared,
    outbound,
    // The page that asks for consent shows the workspace that the client will act in.
    whoIsSignedIn: async (req) => {
      const who = await door.who(req);
      if (who === undefined) return undefined;
      const { workspace: _, ...person } = who;
      const workspace = await people.openedLast(who.userId);
      return workspace ? { ...person, workspace } : person;
    },
    consented: ({ who: { userId, workspace }, clientId, clientName, scopes, requestId }) =>
      clients.given({ userId, workspaceId: workspace?.id, clientId, name: clientName, scopes, requestId }),
    revoked: clients.revoked,
  });
};

/** The doors. */
export const createHttpApp = ({
  posthorn,
  database,
  identity,
  config,
  wallClock = systemClock,
  log,
}: {
  posthorn: Posthorn;
  database: Database;
  identity: Identity;
  config: Config;
  /** Limits live by it. */
  wallClock?: Clock;
  log: Logger;
}) => {
  const { baseUrl } = config;
  const {
    actions: runnable,
    answers,
    tokens,
    clients,
    tries,
    sessions,
    people,
    members,
    welcome,
    cards,
    audit,
    live,
    library,
    uploads,
    webhooks,
  } = posthorn;
  const limit = (name: string, count: number, windowMs: number) =>
    createRateLimit({ name, limit: count, windowMs, clock: wallClock });
  const rateLimit = limit('api', config.requestsPerMinute, 60_000);
  const signInsOfAddress = limit('sign-in', config.signInsPerHour, 3_600_000);
  const authenticate = createAuthenticate({ tokens, rateLimit });
  const health = createHealth({ database, idleMs: posthorn.jobs.idleMs });
  const door = createSessionDoor({ sessions, baseUrl });
  const guards = createGuards({
    door,
    authenticate,
    rateLimit,
    mustBeOperator: createOperatorCheck(config),
    endElsewhere: identity.endSession,
  });
  const mcp = createMcpEndpoint({
    baseUrl,
    authUrl: identity.issuer,
    version,
    actions: runnable,
    tools: mcpTools,
    authorize: createMcpAccess({
      tokens,
      clients,
      store: createAccessStore(database),
      verifyAccessToken: identity.verifyAccessToken,
    }),
    requestApproval: cards.request,
    requestsAbout: cards.about,
    rateLimit,
    log,
  });

  const app = express().disable('etag').disable('x-powered-by').set('trust proxy', config.trustProxy);
  app.use(greet({ https: baseUrl.startsWith('https:') }), logRequests(log));
  serveRoutes(app, {
    guards,
    runAction: (identify) => actionRoute({ actions: runnable, answers, identify }),
    handlers: {
      catalog: async () => catalog,
      alive: async () => 'ok',
      ready: health.ready,
      ...workspaceRoutes({
        people,
        members,
        sessions,
        welcome,
        audit,
        tries,
        mayTry: signInsOfAddress.mustHaveLeft,
        hasPasswords: identity.outsideSignIn === undefined,
        production: config.production,
        forgetUser: async (userId) => {
          await identity.forgetUser(userId);
          await clients.endAll(userId);
        },
      }),
      ...accessRoutes({ tokens, clients, sessions, audit }),
      ...consentRoutes(identity.consent),
      ...auditRoutes({ audit }),
      ...approvalRoutes({ cards }),
      ...mediaRoutes({ library, uploads }),
      ...accountRoutes(posthorn),
      ...postRoutes(posthorn),
      ...statisticsRoutes(posthorn),
      ...analyticsRoutes(posthorn),
      ...planRoutes(posthorn),
      ...sandboxRoutes({ ...posthorn, production: config.production }),
      ...webhookRoutes({ webhooks }),
    },
    own: {
      mcp: mcp.serve,
      describeMcp: mcp.describe,
      mediaBytes: mediaBytes({ library }),
      avatarBytes: avatarBytes(posthorn),
      liveEvents: liveEvents({
        live,
        who: door.who,
        report: (err) => log.error({ err }, 'access to live events not checked'),
      }),
      metrics: metricsPage(posthorn),
      openapi: openapi(config),
      ...outsideSignIn({ ...posthorn, outside: identity.outsideSignIn, setSession: door.set, baseUrl }),
    },
    forms: { uploadMedia: uploadRoute({ uploads }) },
  });
  app.use(patience());
  if (identity.router) {
    // A client document that could not be read is not remembered, so each try costs a request to outside.
    app.use('/auth/authorize', (req, res, next) => {
      rateLimit.take(`authorize ${req.ip}`, res);
      next();
    });
    app.use(identity.router);
  }
  if (!config.production) app.use(posthorn.sandboxes.router());
  app.use('/docs', docsPages());
  const web = createWebApp(webFolder);
  app.use(web.files, web.pages);
  app.use(styleRoutes(), scriptRoutes());
  app.use(
    pageRoutes({
      ...posthorn,
      who: door.who,
      baseUrl,
      production: config.production,
    }),
  );
  app.use(web.notFound, noSuchPath, answerErrors(log));
  return { app, health };
};

const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };

const openapi = ({ baseUrl }: Config): RequestHandler<Record<string, string>> => {
  const document = JSON.parse(readFileSync(join(packageRoot, 'openapi/openapi.json'), 'utf8'));
  const text = JSON.stringify({ ...document, servers: [{ url: baseUrl, description: 'This server' }] });
  return (_req, res) => {
    res.type('json').send(text);
  };
};
