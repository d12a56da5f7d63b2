import type { Logger } from 'pino';
import type { CatalogRoutes } from '#contracts/catalog';
import type { Route } from '#contracts/define';
import { catalog } from '#generated/catalog';
import { mcpTools } from '#generated/mcp-tools';
import { routes as declared } from '#generated/rest';
import { serveRoutes } from '#generated/router';
import type { Identity } from '#server/access/auth/identity-provider/identity';
import type { openReceipts } from '#server/access/receipts/slice';
import type { Agents } from '#server/agents/open';
import type { RouteCall } from '#server/base/context';
import type { openIdempotency } from '#server/base/idempotency/slice';
import type { Scheduler } from '#server/base/jobs/scheduler';
import type { RoutesOf } from '#server/base/registry';
import { describeUnwritable } from '#server/base/store/retry';
import type { Connecting } from '#server/connecting/open';
import type { Delivery } from '#server/delivery/open';
import { setCallerHeaders } from '#server/doors/http/caller-headers';
import { openDoors } from '#server/doors/http/doors';
import { openMcp } from '#server/doors/mcp/open-mcp';
import type { Media } from '#server/media/open';
import type { Messaging } from '#server/messaging/open';
import type { ServiceMetrics } from '#server/operation/metrics/metrics';
import type { Operation } from '#server/operation/open';
import { findSchemaProblem } from '#server/operation/startup/startup-migrations';
import type { People } from '#server/people/open';
import type { Members } from '#server/people/workspaces/members';
import type { PersonDeletion } from '#server/people/workspaces/person-deletion';
import type { Planning } from '#server/planning/open';
import type { Simulation } from '#server/simulation/open';
import type { Writing } from '#server/writing/open';
import type { Core } from './core.ts';

type OpenIdempotency = ReturnType<typeof openIdempotency>;
type OpenReceipts = ReturnType<typeof openReceipts>;

/** REST, MCP, the web app and the pages. Wired last, because they need the identity provider. */
export const wireDoors = ({
  core,
  connecting,
  people,
  media: { media },
  writing,
  planning,
  idempotency,
  agents,
  simulation,
  operation,
  members,
  personDeletion,
  jobs,
  identity,
  metrics,
  log,
}: {
  core: Core;
  messaging: Messaging;
  connecting: Connecting;
  people: People;
  media: Media;
  writing: Writing;
  delivery: Delivery;
  planning: Planning;
  idempotency: OpenIdempotency;
  receipts: OpenReceipts;
  agents: Agents;
  simulation: Simulation;
  operation: Operation;
  members: Members;
  personDeletion: PersonDeletion;
  jobs: Scheduler;
  identity: Identity;
  metrics: ServiceMetrics;
  log: Logger;
}) => {
  const { registry, database, config } = core;
  const { sessions, tokens, rateLimit, mcpAccess } = core.auth;
  const { actions, requestable, runOrAsk, runForAgent } = agents;
  const { posts } = writing;
  const { review, transfer } = planning;
  const { workspaceName } = core.people.people;

  const doorSlices = {
    consent: registry.open('auth/consent', core.auth.openConsent(identity)),
    workspaces: registry.open(
      'workspaces/routes',
      people.workspaces.openWorkspaceRoutes({
        members,
        personDeletion,
        mustProve: people.factors.proof.mustProve,
        identity,
      }),
    ),
    catalog: registry.open('catalog', {
      routes: {
        catalog: async ({ caller, exchange: { res } }: RouteCall<CatalogRoutes['catalog']>) => {
          setCallerHeaders(res, caller, await workspaceName(caller.workspaceId));
          return catalog;
        },
      },
    }),
  };
  type Routes = RoutesOf<Core> &
    RoutesOf<Messaging> &
    RoutesOf<Connecting> &
    RoutesOf<People> &
    RoutesOf<Media> &
    RoutesOf<Writing> &
    RoutesOf<Delivery> &
    RoutesOf<Planning> &
    RoutesOf<{ idempotency: OpenIdempotency; receipts: OpenReceipts; simulation: Simulation }> &
    RoutesOf<Agents> &
    RoutesOf<Operation> &
    RoutesOf<typeof doorSlices>;

  const routeNames = new Map<Route, string>(Object.entries(declared).map(([name, route]) => [route, name]));
  return openDoors({
    sessions,
    tokens,
    identity,
    rateLimit,
    signInElsewhere: people.workspaces.signInElsewhere,
    library: media.library,
    uploads: media.uploads,
    uploadOnce: writing.uploadOnce,
    uploadAddresses: media.uploadAddresses,
    resumableUploads: media.resumableUploads,
    avatars: connecting.accounts.avatars,
    linkCards: posts.linkCards,
    shares: review.shares,
    imports: transfer.imports,
    exports: transfer.exports,
    restoring: operation.backup.restoring,
    findBackupFile: operation.backup.findFile,
    actions,
    requestable,
    runOrAsk,
    routeName: (route) => routeNames.get(route) ?? '',
    answers: idempotency.answers,
    live: core.live.live,
    assistant: agents.assistant.assistant,
    metrics,
    jobs,
    sandboxPaths: simulation.sandboxPaths,
    mcp: openMcp({
      actions,
      tools: mcpTools,
      runForAgent,
      reading: posts.reading,
      library: media.library,
      accounts: connecting.accounts.accounts,
      providers: connecting.providers,
      mcpAccess,
      identity,
      rateLimit,
      config,
      log,
    }),
    serveRoutes: (app, { appRoutes, runAction, own, forms, handlers }) => {
      const sliceRoutes = Object.keys(declared).filter((name) => !(name in handlers));
      // The registry stores handlers by name; only the themes know their types.
      const routes = registry.routes(sliceRoutes) as unknown as Routes;
      return serveRoutes(app, { appRoutes, runAction, own, forms, handlers: { ...handlers, ...routes } });
    },
    database,
    findSchemaProblem: () => findSchemaProblem(database),
    config,
    log,
    describeError: describeUnwritable,
  });
};
