import { instantOf } from '#contracts/instant';
import type { SandboxRoutes } from '#contracts/sandbox';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { ApprovalCards } from '#server/agents/approvals/cards';
import { asAgent, clientNamed, type RouteHandlers } from '#server/base/context';
import { badInput, notFound, Refusal } from '#server/base/errors';
import type { Accounts } from '#server/connecting/accounts/accounts';
import type { Connecting } from '#server/connecting/accounts/connecting';
import type { Providers } from '#server/connecting/providers/providers';
import type { Networks } from '#server/networks/registry';
import { type Fault, faults } from '#server/networks/sandbox';
import type { People } from '#server/people/workspaces/people';
import type { Drafts } from '#server/writing/posts/drafts';
import type { SandboxClock } from './clock.ts';
import type { SandboxFeed } from './feed.ts';
import type { Sandboxes } from './sandboxes.ts';
import { connectInSandbox } from './sign-up.ts';

/** The handle of accounts connected in one click. */
const handle = 'demo';
/** Client name and text of the sample approval request, for workspaces without an agent. */
const sampleClient = 'Pretend agent';
const sampleText = 'An agent wrote this and asks you first. Approve it, and it goes out in the sandbox.';

export const sandboxRoutes = ({
  sandboxes,
  sandboxClock,
  sandboxFeed,
  people,
  audit,
  sandboxPage,
  connecting,
  accounts,
  drafts,
  ask,
  networks,
  providers,
  production,
}: {
  sandboxes: Sandboxes;
  sandboxClock: SandboxClock;
  sandboxFeed: SandboxFeed;
  people: Pick<People, 'mustBeOperator'>;
  audit: AuditLog;
  /** Maps an address for browsers to one that this process can reach. */
  sandboxPage: (url: string) => string;
  connecting: Connecting;
  accounts: Pick<Accounts, 'networksOf'>;
  drafts: Pick<Drafts, 'addDraft'>;
  ask: ApprovalCards['request'];
  networks: Networks;
  providers: Providers;
  production: boolean;
}): RouteHandlers<SandboxRoutes> => {
  const mustBeSandbox = () => {
    if (production) throw new Refusal('Forbidden', 'There is no sandbox in production.');
  };
  return {
    readSandbox: async () => {
      mustBeSandbox();
      return sandboxFeed();
    },

    connectSandboxAccounts: async ({ body, caller }) => {
      mustBeSandbox();
      const keys = [...new Set(body.networks)];
      for (const key of keys) {
        const network = networks.find(key);
        if (network === undefined || providers.isLive(network)) throw notFound('sandbox network', key);
      }
      const accountIds: string[] = [];
      for (const key of keys) {
        accountIds.push(await connectInSandbox({ connecting, networks }, caller, key, { handle, here: sandboxPage }));
      }
      return { accountIds };
    },

    pretendRequest: async ({ body: { accountIds }, caller, requestId }) => {
      mustBeSandbox();
      for (const { network } of (await accounts.networksOf(caller, accountIds)).values()) {
        if (providers.isLive(networks.get(network))) throw notFound('sandbox network', network);
      }
      const agent = asAgent(caller, clientNamed(sampleClient));
      const versions = [{ content: [{ body: sampleText, media: [] }], options: {} }];
      const { id } = await drafts.addDraft(agent, { accountIds, versions, scheduledAt: null });
      const request = { caller: agent, client: sampleClient, action: 'posts.publishNow', input: { id }, requestId };
      return { cardId: (await ask(request)).cardId };
    },

    readSandboxClock: async () => ({ now: instantOf(sandboxClock.now()) }),

    moveSandboxClock: async ({ body, caller: { userId, workspaceId }, requestId }) => {
      mustBeSandbox();
      await people.mustBeOperator(userId, 'moves the clock');
      await sandboxClock.forward(body.forwardMs);
      const details = { forwardMs: body.forwardMs };
      await audit.write({ event: 'clock.moved', workspaceId, userId, requestId, details });
      return { now: instantOf(sandboxClock.now()) };
    },

    planSandboxFault: async ({ body: { network, moment, fault, times } }) => {
      mustBeSandbox();
      if (!sandboxes.networks.includes(network)) throw notFound('sandbox network', network);
      if (fault !== '' && !isFault(fault)) {
        const message = `must be one of ${Object.keys(faults).join(', ')}, or empty`;
        throw badInput({ path: 'fault', code: 'UnknownValue', message });
      }
      await sandboxes.planFault(network, moment, isFault(fault) ? { fault, times } : undefined);
      return { done: true };
    },
  };
};

const isFault = (name: string): name is Fault => Object.hasOwn(faults, name);
