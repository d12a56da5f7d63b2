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
import { openAuth } from '#server/auth/slice';
import { systemClock } from '#server/clock';
import { createFigures } from '#server/figures';
import { openHistory } from '#server/history/slice';
import { openDoors, type ServeRoutes } from '#server/http/doors';
import { openIdempotency } from '#server/idempotency/slice';
import { createScheduler } from '#server/jobs/scheduler';
import { openLabels } from '#server/labels/slice';
import { openLive } from '#server/live/slice';
import { openMcp } from '#server/mcp/open';
import { openMedia } from '#server/media/slice';
import { openMessages } from '#server/messages/slice';
import { openNetworks } from '#server/networks/open';
import { openNotifications } from '#server/notifications/slice';
import { openPlans } from '#server/plans/slice';
import { openPosts } from '#server/posts/slice';
import { openProviders } from '#server/providers/slice';
import { openPublishing } from '#server/publishing/slice';
import { createReport } from '#server/report';
import { openReview } from '#server/review/slice';
import { prepareActions } from '#server/run-action';
import { openSandbox } from '#server/sandbox/slice';
import type { ServiceParts } from '#server/service-parts';
import { openSlots } from '#server/slots/slice';
import { openStatistics } from '#server/statistics/slice';
import { openTemplates } from '#server/templates/slice';
import { openTransfer } from '#server/transfer/slice';
import { openUi } from '#server/ui/slice';
import { openWebhooks } from '#server/webhooks/slice';
import { openWorkspaces } from '#server/workspaces/slice';

export type Posthorn = ReturnType<typeof createPosthorn>;

/** All rules of the service on one database, opened in order; the doors and the command line both use them. */
export const createPosthorn = ({ wallClock = systemClock, ...given }: ServiceParts) => {
  const { database, outbound, seal, config, clock, ownUrl, log, ...replaced } = given;
  const report = createReport(log, 'work in the background failed');
  const figures = createFigures();
  const { networks, sites, ...network } = openNetworks({ folders: networkFolders, outbound, config, ownUrl, clock });
  const { audit, routes: auditRoutes } = openAudit({ database, clock });
  const { live } = openLive({ database });
  const core = { database, config, clock, report, networks, audit, live, figures, log };

  const { plans, ...plan } = openPlans(core);
  const { routes: accessRoutes, chores: accessChores, ...auth } = openAuth({ ...core, outbound, seal, wallClock, log });
  const { sessions, tokens, rateLimit, mcpAccess } = auth;
  const { messages, mailer, push, ...outgoing } = openMessages({ ...core, outbound, seal, ...replaced });
  const { notifications, ...notices } = openNotifications({ ...core, messages, push });
  const told = { ...core, notifications };
  const opened = openWorkspaces({ ...told, messages, auth, plans, wallClock });
  const { routes: peopleRoutes, chores: peopleChores, ...workspaces } = opened;
  const { people, deletion, signInElsewhere } = workspaces;
  const { events, webhooks, ...delivery } = openWebhooks({ ...told, outbound, seal, plans, ...replaced });
  const { providers } = openProviders(core);
  const connected = openAccounts({ ...told, sites, outbound, seal, events });
  const { accounts, access, avatars } = connected;
  const { routes: mediaRoutes, chores: mediaChores, ...media } = openMedia({ ...core, outbound });
  const { library, uploads } = media;
  const { revisions, ...history } = openHistory({ ...core, library });
  const written = { accounts, access, library, plans, deletion, events, revisions };
  const { routes: postRoutes, ...posts } = openPosts({ ...told, ...written });
  const { reading, lifecycle, drafts, outcomes, linkCards } = posts;
  const { shares, ...review } = openReview({ ...core, reading, accounts, library, wallClock });
  const transfer = openTransfer({ ...core, accounts, library, uploads, drafts, lifecycle });
  const { imports, exports } = transfer;
  const { slots, routes: slotRoutes } = openSlots({ ...core, accounts });
  const { routes: labelRoutes } = openLabels(core);
  const { routes: templateRoutes } = openTemplates(core);
  const { analytics, publishedPosts, routes: analyticsRoutes } = openAnalytics(core);
  const numbers = openStatistics({ ...core, accounts, access, reading, publishedPosts });
  const { statistics, publications, readSoon } = numbers;
  const { connecting, ...connection } = connected.openConnecting({ plans, providers, reconnected: readSoon });
  const sent = { access, library, outcomes, lifecycle, linkCards, reading, publications };
  const { byHand, ...publishing } = openPublishing({ ...core, ...sent, ...replaced });
  const signUp = { people, providers, connecting, accounts };
  const { routes: sandboxRoutes, ...sandbox } = openSandbox({ ...core, ...signUp, folders: sandboxFolders, ownUrl });
  const { sandboxClock, sandboxPaths } = sandbox;
  const { openPage } = openUi(core);
  const { answers, chores: answerChores } = openIdempotency(core);

  const rules = { accounts, providers, library, openPage, reading, lifecycle, drafts, byHand, statistics, analytics };
  const actions = prepareActions(declared, createHandlers(rules));
  const { cards, ...approvals } = openApprovals({ ...told, actions, reading, lifecycle, linkCards, library, accounts });
  const { assistant, routes: chatRoutes } = openAssistant({ ...core, catalog, actions, cards, reading, slots, log });

  const jobs = createScheduler({
    database,
    loops: { ...publishing.loops, ...delivery.loops, ...connected.loops, ...numbers.loops, ...outgoing.loops },
    chores: {
      ...plan.chores,
      ...accessChores,
      ...delivery.chores,
      ...mediaChores,
      ...connection.chores,
      ...answerChores,
      ...approvals.chores,
      ...outgoing.chores,
      ...notices.chores,
      ...peopleChores,
      ...review.chores,
      ...transfer.chores,
    },
    clock: sandboxClock,
    report,
  });
  figures.watch({ jobs, database, live });
  const routes = (identity: Identity) => ({
    catalog: async () => catalog,
    ...auditRoutes,
    ...plan.routes,
    ...accessRoutes(identity),
    ...peopleRoutes(identity),
    ...notices.routes,
    ...delivery.routes,
    ...connection.routes,
    ...mediaRoutes(posts.mediaUse),
    ...postRoutes,
    ...history.routes,
    ...review.routes,
    ...transfer.routes,
    ...slotRoutes,
    ...labelRoutes,
    ...templateRoutes,
    ...publishing.routes,
    ...numbers.routes,
    ...analyticsRoutes,
    ...sandboxRoutes,
    ...approvals.routes,
    ...chatRoutes,
  });

  return {
    ...rules,
    ...auth,
    ...workspaces,
    ...media,
    ...posts,
    ...sandbox,
    slots,
    audit,
    live,
    plans,
    messages,
    mailer,
    push,
    notifications,
    events,
    webhooks,
    networks,
    connecting,
    shares,
    imports,
    exports,
    actions,
    answers,
    cards,
    assistant,
    jobs,
    openIdentity: () => auth.openIdentity(people),
    /** REST, MCP, the web app and the pages, once it is known who signs people in. */
    openDoors: (identity: Identity) => {
      const mcp = openMcp({ actions, tools: mcpTools, cards, mcpAccess, identity, rateLimit, config, log });
      const callers = { sessions, tokens, identity, rateLimit, signInElsewhere };
      const files = { library, uploads, avatars, shares, imports, exports };
      const served = { ...files, actions, answers, live, assistant, figures, jobs, sandboxPaths };
      const serve: ServeRoutes = (app, { handlers, ...doors }) =>
        serveRoutes(app, { ...doors, handlers: { ...handlers, ...routes(identity) } });
      return openDoors({ ...callers, ...served, mcp, serveRoutes: serve, database, config, log });
    },
    close: async () => {
      await network.close();
      await sandbox.close();
    },
  };
};
