import type { Access } from '#server/access/open';
import type { Agents } from '#server/agents/open';
import type { Connecting } from '#server/connecting/open';
import type { Delivery } from '#server/delivery/open';
import type { Messaging } from '#server/messaging/open';
import type { OpenPeople } from '#server/people/workspaces/open-people';
import { openSandbox } from '#server/simulation/sandbox/slice';
import type { Writing } from '#server/writing/open';

type SandboxParts = Parameters<typeof openSandbox>[0];

export type Simulation = ReturnType<typeof openSimulation>;

/** The networks to try things on, below the service's own address. */
export const openSimulation = ({
  access: { registry, database, audit, config, clock },
  people: { people },
  messaging,
  connecting: { networks, providers, accounts },
  delivery: { connecting },
  writing: { posts },
  agents: { approvals },
  folders,
  ownUrl,
  sandboxClock,
}: {
  access: Access;
  people: OpenPeople;
  messaging: Messaging;
  connecting: Connecting;
  delivery: Delivery;
  writing: Writing;
  agents: Agents;
  folders: SandboxParts['folders'];
  ownUrl: () => string;
  sandboxClock: SandboxParts['sandboxClock'];
}) =>
  registry.open(
    'sandbox',
    openSandbox({
      database,
      folders,
      networks,
      accounts: accounts.accounts,
      drafts: posts.drafts,
      ask: approvals.cards.request,
      people,
      connecting: connecting.connecting,
      providers,
      webhooks: messaging.webhooks.webhooks,
      audit: audit.audit,
      config,
      ownUrl,
      clock,
      sandboxClock,
    }),
  );
