import { instantOf } from '#contracts/instant';
import type { SandboxRoutes } from '#contracts/sandbox';
import type { Connecting } from '#server/accounts/connecting';
import type { AuditLog } from '#server/audit/audit-log';
import type { RouteHandlers } from '#server/context';
import { badInput, notFound, Refusal } from '#server/errors';
import type { Networks } from '#server/networks/registry';
import { type Fault, faults } from '#server/networks/sandbox';
import type { Providers } from '#server/providers/offered';
import type { People } from '#server/workspaces/people';
import type { SandboxClock } from './clock.ts';
import type { SandboxFeed } from './feed.ts';
import type { Sandboxes } from './serve.ts';
import { connectInSandbox } from './sign-up.ts';

/** What an account is called that nobody named. */
const handle = 'demo';

export const sandboxRoutes = ({
  sandboxes,
  sandboxClock,
  sandboxFeed,
  people,
  audit,
  sandboxPage,
  connecting,
  networks,
  providers,
  production,
}: {
  sandboxes: Sandboxes;
  sandboxClock: SandboxClock;
  sandboxFeed: SandboxFeed;
  people: Pick<People, 'mustBeOperator'>;
  audit: AuditLog;
  /** Where this process finds a page that a browser finds at `url`. */
  sandboxPage: (url: string) => string;
  connecting: Connecting;
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
