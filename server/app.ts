import type { CatalogRoutes } from '#contracts/catalog';
import { catalog, actions as declared } from '#generated/catalog';
import { createHandlers } from '#generated/handlers';
import { mcpTools } from '#generated/mcp-tools';
import { serveRoutes } from '#generated/router';
import { sandboxes as sandboxFolders } from '#generated/sandboxes';
import { writers } from '#generated/writers';
import { openAccounts } from '#server/accounts/slice';
import { prepareActions } from '#server/admission';
import { openAnalytics } from '#server/analytics/slice';
import type { ApprovalCards } from '#server/approvals/cards';
import { openApprovals } from '#server/approvals/slice';
import { openAssistant } from '#server/assistant/slice';
import { openAudit } from '#server/audit/slice';
import type { Identity } from '#server/auth/identity-provider/identity';
import { openAuth } from '#server/auth/slice';
import { systemClock } from '#server/clock';
import type { RouteCall } from '#server/context';
import { createFigures } from '#server/figures';
import { sealedColumns } from '#server/for-operators';
import { openHistory } from '#server/history/slice';
import { tellCaller } from '#server/http/caller-headers';
import { openDoors, type ServeRoutes } from '#server/http/doors';
import { openIdempotency } from '#server/idempotency/slice';
import { openInstallation } from '#server/installation/slice';
import { createScheduler } from '#server/jobs/scheduler';
import { openLabels } from '#server/labels/slice';
import { openLive } from '#server/live/slice';
import { openMcp } from '#server/mcp/open';
import { openMedia } from '#server/media/slice';
import { createUploadOnce } from '#server/media/upload-once';
import { openMessages } from '#server/messages/slice';
import { networks as networkFolders } from '#server/network-folders';
import { openNetworks } from '#server/networks/open';
import { openNotifications } from '#server/notifications/slice';
import { ofAll } from '#server/of-all';
import { openPlans } from '#server/plans/slice';
import { openPosts } from '#server/posts/slice';
import { openProviders } from '#server/providers/slice';
import { openPublishing } from '#server/publishing/slice';
import { createReport } from '#server/report';
import { openReview } from '#server/review/slice';
import { openSandbox } from '#server/sandbox/slice';
import { openSecrets } from '#server/secrets/slice';
import type { ServiceParts } from '#server/service-parts';
import { openSlots } from '#server/slots/slice';
import { openStatistics } from '#server/statistics/slice';
import { openTemplates } from '#server/templates/slice';
import { openTransfer } from '#server/transfer/slice';
import { openUi } from '#server/ui/slice';
import { openWebhooks } from '#server/webhooks/slice';
import { createMembershipEnd, type EndMembership } from '#server/workspaces/membership-end';
import { openWorkspaces } from '#server/workspaces/slice';

export type Posthorn = ReturnType<typeof createPosthorn>;

/** All rules of the service on one database, opened in order; the doors and the command line both use them. */
export const createPosthorn = ({ wallClock = systemClock, ...given }: ServiceParts) => {
  const { database, outbound, seal, config, clock, ownUrl, log, ...replaced } = given;
  const report = createReport(log, 'work in the background failed');
  const figures = createFigures({ report });
  const { networks, sites, ...network } = openNetworks({ folders: networkFolders, outbound, config, ownUrl, clock });
  const { audit, ...auditing } = openAudit({ database, config, clock });
  const { live } = openLive({ database, report });
  const core = { database, config, clock, report, networks, audit, live, figures, log };

  const { plans, ...plan } = openPlans(core);
  const { routes: accessRoutes, ...auth } = openAuth({ ...core, wallClock });
  const { sessions, tokens, rateLimit, mcpAccess } = auth;
  const { messages, mailer, push, ...outgoing } = openMessages({ ...core, outbound, seal, ...replaced });
  const { notifications, ...notices } = openNotifications({ ...core, messages, push });
  const told = { ...core, notifications };
  const { events, webhooks, ...delivery } = openWebhooks({ ...told, outbound, seal, plans, ...replaced });
  const { providers } = openProviders(core);
  const connected = openAccounts({ ...told, sites, outbound, seal, events, ...replaced });
  const { accounts, access, avatars } = connected;
  const endMembership: EndMembership = (...of) => memberships.endMembership(...of);
  const shared = { messages, auth, plans, leaving: accounts.leaving, endMembership, wallClock };
  const { routes: peopleRoutes, ...workspaces } = openWorkspaces({ ...told, ...shared });
  const { people, invitations, deletion, signInElsewhere } = workspaces;
  const { settingsToMend, ...installation } = openInstallation({ ...core, providers, people });
  const { routes: mediaRoutes, ...media } = openMedia({ ...core, outbound, wallClock });
  const { library, uploads, renditions } = media;
  const { revisions, ...history } = openHistory({ ...core, library });
  const written = { accounts, access, library, renditions, plans, deletion, events, revisions };
  const posts = openPosts({ ...told, ...written });
  const { reading, lifecycle, drafts, outcomes, linkCards } = posts;
  const { shares, ...review } = openReview({ ...told, reading, lifecycle, accounts, library, wallClock });
  const transfer = openTransfer({ ...told, accounts, library, uploads, drafts, lifecycle });
  const { imports, exports } = transfer;
  const { slots, ...planning } = openSlots({ ...core, accounts });
  const labels = openLabels({ ...core, reading });
  const templates = openTemplates(core);
  const { analytics, ...insights } = openAnalytics(core);
  const numbers = openStatistics({ ...core, accounts, access, reading });
  const { statistics, publications, readSoon } = numbers;
  const { connecting, ...connection } = connected.openConnecting({ plans, providers, reconnected: readSoon });
  const standing = { sessions, tokens, people, invitations, shares, connecting, messages, live };
  const memberships = createMembershipEnd(standing);
  const sent = { access, library, renditions, outcomes, lifecycle, linkCards, reading, publications };
  const { byHand, ...publishing } = openPublishing({ ...core, ...sent, ...replaced });
  const signUp = { people, providers, connecting, accounts };
  const ask: ApprovalCards['request'] = (request) => cards.request(request);
  const sandbox = openSandbox({ ...core, ...signUp, drafts, ask, folders: sandboxFolders, ownUrl });
  const { openPage } = openUi(core);
  const { answers, ...idempotency } = openIdempotency(core);
  const uploadOnce = createUploadOnce({ uploads, answers });

  const rules = { accounts, providers, library, openPage, reading, lifecycle, drafts, byHand, statistics, analytics };
  const actions = prepareActions(declared, createHandlers(rules), writers, config.baseUrl);
  const asked = { actions, reading, lifecycle, linkCards, library, renditions, accounts };
  const { cards, ...approvals } = openApprovals({ ...told, ...asked });
  const { assistant, ...chat } = openAssistant({ ...core, catalog, actions, cards, reading, slots, log });

  const ofPeople = [auditing, plan, auth, workspaces, outgoing, notices, installation];
  const ofPosts = [media, posts, history, review, transfer, planning, labels, templates, approvals, chat];
  const ofNetworks = [connected, connection, publishing, delivery, numbers, insights, sandbox, idempotency];
  const sealed = sealedColumns(database);
  const owners = [...ofPeople, ...ofPosts, ...ofNetworks];
  const secrets = openSecrets({ database, columns: sealed, discards: ofAll(owners, 'discards'), seal, report });
  const slices = [...owners, secrets];
  const due = { loops: ofAll(slices, 'loops'), chores: ofAll(slices, 'chores') };
  const jobs = createScheduler({ database, ...due, clock: sandbox.sandboxClock, report });
  figures.watch({ jobs, database, live });
  const routes = (identity: Identity) => ({
    catalog: async ({ caller, exchange: { res } }: RouteCall<CatalogRoutes['catalog']>) => {
      tellCaller(res, caller, await people.workspaceName(caller.workspaceId));
      return catalog;
    },
    ...ofAll(slices, 'routes'),
    ...mediaRoutes({ ...posts.mediaUse, uploadOnce }),
    ...accessRoutes(identity),
    ...peopleRoutes(identity),
  });

  const toPeople = { audit, live, memberships, plans, messages, mailer, push, notifications, shares, imports, exports };
  const toPrograms = { networks, connecting, slots, events, webhooks, actions, answers, cards, assistant, jobs };
  return {
    ...rules,
    ...auth,
    ...workspaces,
    ...media,
    ...posts,
    ...sandbox,
    ...toPeople,
    ...toPrograms,
    sites,
    sealed,
    chores: due.chores,
    resealing: secrets.resealing,
    discardLostSecrets: secrets.discardLost,
    settingsToMend,
    revoked: connected.revoked,
    openIdentity: () => auth.openIdentity({ ...people, outbound, seal, log }),
    /** REST, MCP, the web app and the pages, once it is known who signs people in. */
    openDoors: (identity: Identity) => {
      const mcp = openMcp({ actions, tools: mcpTools, cards, reading, mcpAccess, identity, rateLimit, config, log });
      const callers = { sessions, tokens, identity, rateLimit, signInElsewhere };
      const files = { library, uploads, uploadOnce, avatars, linkCards, shares, imports, exports };
      const served = { ...files, actions, answers, live, assistant, figures, jobs, sandboxPaths: sandbox.sandboxPaths };
      const serve: ServeRoutes = (app, { handlers, ...doors }) =>
        serveRoutes(app, { ...doors, handlers: { ...handlers, ...routes(identity) } });
      return openDoors({ ...callers, ...served, mcp, serveRoutes: serve, database, config, log });
    },
    close: async () => {
      await connected.close();
      await network.close();
      await sandbox.close();
    },
  };
};
