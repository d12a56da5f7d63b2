import type { Logger } from 'pino';
import { catalog, actions as declared } from '#generated/catalog';
import { createHandlers } from '#generated/handlers';
import { mcpTools } from '#generated/mcp-tools';
import { networks as networkFolders, sandboxes as sandboxFolders } from '#generated/networks';
import { serveRoutes } from '#generated/router';
import { openAccounts } from '#server/accounts/slice';
import { openAnalytics } from '#server/analytics/slice';
import { openApprovals } from '#server/approvals/slice';
import { openAssistant } from '#server/assistant/slice';
import { openAudit } from '#server/audit/slice';
import type { Identity } from '#server/auth/identity-provider/identity';
import { openIdentityProvider } from '#server/auth/identity-provider/open';
import { createRateLimit } from '#server/auth/rate-limit';
import { consentRoutes } from '#server/auth/routes';
import { openAuth } from '#server/auth/slice';
import {
  type Clock,
  type MovableClock,
  type Stopwatch,
  startStopwatch as startSystemStopwatch,
  systemClock,
} from '#server/clock';
import { type Config, packageVersion } from '#server/config';
import { createFigures } from '#server/figures';
import { openDoors } from '#server/http/doors';
import { createHealth } from '#server/http/health';
import { openIdempotency } from '#server/idempotency/slice';
import { createJobs } from '#server/jobs/jobs';
import { openLive } from '#server/live/slice';
import { createMcpEndpoint } from '#server/mcp/endpoint';
import { openMedia } from '#server/media/slice';
import { openNetworks } from '#server/networks/open';
import type { Outbound } from '#server/outbound/guarded-client';
import { styleRoutes } from '#server/pages/style';
import { openPlans } from '#server/plans/slice';
import { openPosts } from '#server/posts/slice';
import { openProviders } from '#server/providers/slice';
import { openPublishing } from '#server/publishing/slice';
import { prepareActions } from '#server/run-action';
import { openSandbox } from '#server/sandbox/slice';
import type { Seal } from '#server/secrets/seal';
import { openStatistics } from '#server/statistics/slice';
import type { Database } from '#server/store/database';
import { openUi } from '#server/ui/slice';
import type { AllowedWebhooks } from '#server/webhooks/plan-limit';
import { openWebhooks } from '#server/webhooks/slice';
import { outsideSignIn } from '#server/workspaces/outside-sign-in';
import { openWorkspaces } from '#server/workspaces/slice';

export type Posthorn = ReturnType<typeof createPosthorn>;

/** All rules of the service on one database, opened in order; the doors and the command line both use them. */
export const createPosthorn = (given: {
  database: Database;
  outbound: Outbound;
  seal: Seal;
  config: Config;
  clock: MovableClock;
  /** People, their sessions and their limits go by it: the sandbox does not move it. */
  wallClock?: Clock;
  /** Where this process listens, known once it does. */
  ownUrl: () => string;
  log: Logger;
  /** Instead of what the plan says. */
  allowedWebhooks?: AllowedWebhooks;
  webhookAnswerMs?: number;
  startStopwatch?: () => Stopwatch;
}) => {
  const { database, outbound, seal, config, clock, wallClock = systemClock, ownUrl, log } = given;
  const { startStopwatch = () => startSystemStopwatch(), webhookAnswerMs: answerTimeoutMs = 10_000 } = given;
  const { baseUrl } = config;
  const report = (error: unknown) => log.error({ err: error }, 'work in the background failed');
  const sandboxUrl = () => config.sandboxUrl ?? ownUrl();
  const figures = createFigures();

  const { audit, routes: auditRoutes } = openAudit({ database, clock });
  const { live } = openLive({ database });
  const core = { database, clock, report, audit, live };
  const { plans, routes: planRoutes } = openPlans(core);
  const { routes: tokenRoutes, ...auth } = openAuth({ ...core, wallClock });
  const { routes: peopleRoutes, ...workspaces } = openWorkspaces({ ...core, auth, plans, config, wallClock });
  const { people } = workspaces;
  const allowedWebhooks = given.allowedWebhooks ?? plans.webhooks;
  const delivery = { allowedWebhooks, answerTimeoutMs, startStopwatch };
  const {
    events,
    webhooks,
    deliveries,
    routes: webhookRoutes,
  } = openWebhooks({ ...core, outbound, seal, ...delivery });

  const { networks, sites, ...network } = openNetworks({
    ...core,
    folders: networkFolders,
    outbound,
    sandboxUrl,
    config,
  });
  const { providers } = openProviders({ networks, config });
  const reached = { networks, sites, sandboxUrl, outbound, seal, baseUrl };
  const { accounts, access, avatars, refreshes, openConnecting } = openAccounts({ ...core, ...reached, events });
  const { routes: mediaRoutes, ...media } = openMedia({ ...core, outbound, config });
  const { library } = media;
  const { routes: postRoutes, ...posts } = openPosts({ ...core, accounts, library, networks, plans, events, baseUrl });
  const { reading, lifecycle, drafts, outcomes } = posts;
  const { analytics, publishedPosts, routes: analyticsRoutes } = openAnalytics({ database, networks });
  const {
    statistics,
    publications,
    reads,
    readSoon,
    routes: statisticsRoutes,
  } = openStatistics({
    ...core,
    networks,
    accounts,
    access: access.forReading,
    reading,
    publishedPosts,
  });
  const { connecting, routes: accountRoutes } = openConnecting({ plans, audit, providers, reconnected: readSoon });
  const {
    loops,
    byHand,
    routes: publishingRoutes,
  } = openPublishing({
    ...core,
    networks,
    access,
    library,
    outcomes,
    lifecycle,
    reading,
    publications,
    figures: figures.publishing,
    config,
    startStopwatch,
  });
  const { routes: sandboxRoutes, ...sandbox } = openSandbox({
    ...core,
    folders: sandboxFolders,
    networks,
    hasLiveAccount: accounts.hasLive,
    people,
    connecting,
    providers,
    config,
    ownUrl,
  });
  const { openPage } = openUi({ database });
  const { answers } = openIdempotency({ database, clock });

  const rules = { accounts, providers, library, openPage, reading, lifecycle, drafts, byHand, statistics, analytics };
  const actions = prepareActions(declared, createHandlers(rules));
  const { cards, routes: cardRoutes } = openApprovals({
    ...core,
    actions,
    reading,
    lifecycle,
    library,
    accounts,
    baseUrl,
  });

  const { assistant, routes: chatRoutes } = openAssistant({ ...core, catalog, actions, cards, config, log });

  const jobs = createJobs({
    database,
    loops: { ...loops, deliveries, accounts: refreshes, reads },
    chores: {
      'remove old sessions': { every: '1 hour', run: auth.sessions.purge },
      'remove old one-time links': { every: '1 hour', run: auth.secrets.purge },
      'forget wrong passwords': { every: '1 hour', run: auth.tries.purge },
      'remove old idempotent answers': { every: '1 hour', run: answers.purge },
      'close old approval cards': { every: '10 minutes', run: cards.expire },
      'remove files without a media item': { every: '1 hour', run: media.sweepOrphans },
      'remove unfinished connections': { every: '1 hour', run: connecting.purge },
      'remove old deliveries and events': { every: '1 hour', run: webhooks.purge },
      'remove the plan usage of past months': { every: '1 day', run: plans.purge },
    },
    clock: sandbox.sandboxClock,
    report,
  });
  return {
    audit,
    live,
    plans,
    ...auth,
    ...workspaces,
    events,
    webhooks,
    deliveries,
    networks,
    providers,
    accounts,
    avatars,
    connecting,
    ...media,
    ...posts,
    byHand,
    statistics,
    analytics,
    ...sandbox,
    actions,
    answers,
    cards,
    assistant,
    jobs,
    figures,
    /** Once it is known who signs people in. */
    routes: (identity: Identity) => ({
      ...auditRoutes,
      ...planRoutes,
      ...tokenRoutes,
      ...peopleRoutes(identity),
      ...consentRoutes(identity.consent),
      ...webhookRoutes,
      ...accountRoutes,
      ...mediaRoutes({ isUsed: posts.usesMedia, usesOf: posts.mediaUses }),
      ...postRoutes,
      ...publishingRoutes,
      ...statisticsRoutes,
      ...analyticsRoutes,
      ...sandboxRoutes,
      ...cardRoutes,
      ...chatRoutes,
    }),
    close: async () => {
      await network.close();
      await sandbox.close();
    },
  };
};

/** Who vouches for MCP clients and, with AUTH_URL, for people. */
export const openIdentity = ({
  posthorn: { sessions, clients, people },
  ...parts
}: { posthorn: Posthorn } & Omit<Parameters<typeof openIdentityProvider>[0], 'sessions' | 'clients' | 'openedLast'>) =>
  openIdentityProvider({ ...parts, sessions, clients, openedLast: people.openedLast });

/** The doors: REST, MCP, the web app and the pages. */
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
  /** Limits go by it. */
  wallClock?: Clock;
  log: Logger;
}) => {
  const { sessions, tokens, actions, answers, cards, library, uploads, avatars, live, assistant, figures } = posthorn;
  const { baseUrl, production } = config;
  const rateLimit = createRateLimit({
    name: 'api',
    limit: config.requestsPerMinute,
    windowMs: 60_000,
    clock: wallClock,
  });
  const health = createHealth({ database, idleMs: posthorn.jobs.idleMs });
  const mcp = createMcpEndpoint({
    baseUrl,
    authUrl: identity.issuer,
    version: packageVersion,
    actions,
    tools: mcpTools,
    authorize: posthorn.mcpAccess(identity.verifyAccessToken),
    requestApproval: cards.request,
    requestsAbout: cards.about,
    rateLimit,
    log,
  });
  const app = openDoors({
    sessions,
    tokens,
    actions,
    answers,
    library,
    uploads,
    avatars,
    live,
    assistant,
    figures,
    mcp,
    identity,
    rateLimit,
    config,
    log,
    serveRoutes: (to, doors) =>
      serveRoutes(to, {
        ...doors,
        handlers: {
          catalog: async () => catalog,
          alive: async () => 'ok',
          ready: health.ready,
          ...posthorn.routes(identity),
        },
      }),
    sandbox: production ? undefined : posthorn.sandboxes.router(),
    signInElsewhere: ({ set }) =>
      outsideSignIn({ ...posthorn, outside: identity.outsideSignIn, setSession: set, baseUrl }),
    pages: styleRoutes(),
  });
  return { app, health };
};
