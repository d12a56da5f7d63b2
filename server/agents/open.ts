import type { Logger } from 'pino';
import { catalog, actions as declared } from '#generated/catalog';
import { createHandlers } from '#generated/handlers';
import { routes as declaredRoutes } from '#generated/rest';
import { sandboxes as folders } from '#generated/sandboxes';
import { prepareActions, prepareRoutes } from './admission.ts';
import { openApprovals } from '#server/agents/approvals/slice';
import { openAssistant } from '#server/agents/assistant/slice';
import { openBulk } from '#server/agents/bulk/slice';
import { openSandbox } from '#server/simulation/sandbox/slice';
import { createSuggestedTimes } from '#server/planning/slots/suggested-times';
import { openUi } from '#server/agents/ui/slice';
import type { Content } from '#server/planning/open';
import type { Core } from '#server/wiring/core';
import type { Messaging } from '#server/messaging/open';
import type { Networks } from '#server/connecting/open';
import type { People } from '#server/people/open';
import type { Publishing } from '#server/delivery/open';

export type Agents = ReturnType<typeof wireAgents>;

/** The actions that people and agents share, and the slices that run them: approvals, the assistant, the sandbox. */
export const wireAgents = ({
  core,
  messaging,
  networks: { networks, providers, networkKeys, accounts },
  people: peopleTheme,
  content: { media, mediaRoutes, posts, bin, slots, receipts },
  publishing,
  ownUrl,
  log,
}: {
  core: Core;
  messaging: Messaging;
  networks: Networks;
  people: People;
  content: Content;
  publishing: Publishing;
  ownUrl: () => string;
  log: Logger;
}) => {
  const { registry, database, config, clock, report, sandboxClock } = core;
  const { audit } = core.audit;
  const { live } = core.live;
  const { library, renditions } = media;
  const { reading, lifecycle, drafts, linkCards } = posts;

  const ui = registry.open('ui', openUi({ database }));
  const handlers = createHandlers({
    accounts: accounts.accounts,
    providers,
    networkKeys,
    library,
    uploadAddresses: media.uploadAddresses,
    openPage: ui.openPage,
    reading,
    drafts,
    lifecycle,
    bin: bin.bin,
    publishControls: publishing.publishing.publishControls,
    statistics: publishing.statistics.statistics,
    analytics: publishing.analytics.analytics,
    suggestTimes: createSuggestedTimes({ slots: slots.slots, analytics: publishing.analytics.analytics, clock }),
    // Lazy: approvals are opened after the actions.
    findRequests: (caller) => approvals.cards.waiting(caller),
  });
  const actions = prepareActions(declared, handlers, config.baseUrl, (caller, subject, id) =>
    subject === 'post' ? reading.get(caller, id) : accounts.accounts.mustExist(caller, id),
  );
  const routeActions = prepareRoutes(declaredRoutes, {
    ...posts.routes,
    ...publishing.publishing.routes,
    ...mediaRoutes.routes,
  });
  const requestable = new Map([...actions, ...routeActions]);
  const { people } = core.people;
  const bulk = registry.open(
    'bulk',
    openBulk({
      actions: requestable,
      // Lazy: approvals run these actions, so they are opened later.
      askInstead: (...args) => approvals.askInstead(...args),
      reading,
      overview: posts.overview,
      bin: bin.bin,
      slots: slots.slots,
    }),
  );
  const approvals = registry.open(
    'approvals',
    openApprovals({
      database,
      actions: requestable,
      reading,
      lifecycle,
      linkCards,
      library,
      renditions,
      accounts: accounts.accounts,
      audit,
      notifications: messaging.notifications.notifications,
      receipts: receipts.receipts,
      live,
      approvers: {
        list: ({ workspaceId }) => people.approvers(workspaceId),
        lock: core.auth.rights.isPublisher,
      },
      passkeys: peopleTheme.passkeys.passkeys,
      asksPasskey: people.asksPasskey,
      config,
      clock,
    }),
  );
  const { cards } = approvals;
  const assistant = registry.open(
    'assistant',
    openAssistant({ database, catalog, actions, cards, reading, slots: slots.slots, live, config, clock, report, log }),
  );
  const sandbox = registry.open(
    'sandbox',
    openSandbox({
      database,
      folders,
      networks,
      accounts: accounts.accounts,
      drafts,
      ask: cards.request,
      people: core.people.people,
      connecting: publishing.connecting.connecting,
      providers,
      webhooks: messaging.webhooks.webhooks,
      audit,
      config,
      ownUrl,
      clock,
      sandboxClock,
    }),
  );
  return { ui, actions, bulk, approvals, assistant, sandbox };
};
