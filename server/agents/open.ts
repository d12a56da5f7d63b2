import type { Logger } from 'pino';
import type { Access } from '#server/access/open';
import type { openReceipts } from '#server/access/receipts/slice';
import type { Approvers } from '#server/agents/approvals/approvers';
import type { FindRequests } from '#server/agents/approvals/find-requests';
import { createRunForAgent } from '#server/agents/approvals/run-for-agent';
import { openApprovals } from '#server/agents/approvals/slice';
import { openAssistant } from '#server/agents/assistant/slice';
import { openBulk } from '#server/agents/bulk/slice';
import { openUi } from '#server/agents/ui/slice';
import type { Connecting } from '#server/connecting/open';
import type { Media } from '#server/media/open';
import type { Messaging } from '#server/messaging/open';
import type { People } from '#server/people/open';
import type { OpenPeople } from '#server/people/workspaces/open-people';
import type { Planning } from '#server/planning/open';
import type { Writing } from '#server/writing/open';
import type { RunnableAction } from './admission.ts';
import { createRunOrAsk } from './run-or-ask.ts';

export type Agents = ReturnType<typeof openAgents>;

/** What the actions need of this room, which runs them. */
export interface OfAgents {
  readonly openPage: ReturnType<typeof openUi>['openPage'];
  readonly findRequests: FindRequests;
}

/** Pages that agents open, changes of many posts, requests that wait for a person, and the assistant. */
export const openAgents = ({
  access,
  people,
  factors: { passkeys },
  messaging,
  connecting: { accounts },
  media: { media },
  writing: { posts },
  planning: { bin, slots, transfer },
  receipts,
  catalog,
  approvals: declaredApprovals,
  prepareActions,
  log,
}: {
  access: Access;
  people: OpenPeople;
  factors: People['factors'];
  messaging: Messaging;
  connecting: Connecting;
  media: Media;
  writing: Writing;
  planning: Planning;
  receipts: ReturnType<typeof openReceipts>;
  catalog: Parameters<typeof openAssistant>[0]['catalog'];
  approvals: Parameters<typeof openApprovals>[0]['approvals'];
  /** `requestable` has the routes too that people may ask for. */
  prepareActions: (ofAgents: OfAgents) => {
    actions: ReadonlyMap<string, RunnableAction>;
    requestable: ReadonlyMap<string, RunnableAction>;
  };
  log: Logger;
}) => {
  const { registry, database, config, clock, report } = access;
  const { audit } = access.audit;
  const { live } = access.live;
  const { library, fittedFiles } = media;
  const { reading, readiness, linkCards } = posts;

  const ui = registry.open('ui', openUi({ database }));
  const requests = registry.open(
    'approvals',
    openApprovals({
      database,
      approvals: declaredApprovals,
      reading,
      readiness,
      linkCards,
      library,
      fittedFiles,
      accounts: accounts.accounts,
      live,
      config,
      clock,
    }),
  );
  const { actions, requestable } = prepareActions({ openPage: ui.openPage, findRequests: requests.findRequests });
  const approvers: Approvers = {
    list: ({ workspaceId }) => people.people.approvers(workspaceId),
    lock: access.auth.rights.isPublisher,
  };
  const approvals = registry.open(
    'approvals/cards',
    requests.openCards({
      actions: requestable,
      audit,
      notifications: messaging.notifications.notifications,
      receipts: receipts.receipts,
      approvers,
      passkeys,
      asksPasskey: people.people.asksPasskey,
    }),
  );
  const { cards } = approvals;
  const runOrAsk = createRunOrAsk({ cards, approvers });
  const runForAgent = createRunForAgent({ runOrAsk, cards });
  const bulk = registry.open(
    'bulk',
    openBulk({
      actions: requestable,
      runOrAsk,
      imports: transfer.imports,
      reading,
      overview: posts.overview,
      bin: bin.bin,
      slots: slots.slots,
    }),
  );
  const assistant = registry.open(
    'assistant',
    openAssistant({
      database,
      catalog,
      actions,
      runForAgent,
      reading,
      slots: slots.slots,
      live,
      config,
      clock,
      report,
      log,
    }),
  );
  return { ui, actions, requestable, runOrAsk, runForAgent, bulk, approvals, assistant };
};
