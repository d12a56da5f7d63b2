import type { SandboxRoutes } from '#contracts/sandbox';
import type { RouteHandlers } from '#server/context';
import { badInput, notFound, Refusal } from '#server/errors';
import { type Fault, faults } from '#server/networks/sandbox';
import type { SandboxClock } from './clock.ts';
import type { SandboxFeed } from './feed.ts';
import type { Sandboxes } from './sandboxes.ts';

export const sandboxRoutes = ({
  sandboxes,
  sandboxClock,
  sandboxFeed,
  production,
}: {
  sandboxes: Sandboxes;
  sandboxClock: SandboxClock;
  sandboxFeed: SandboxFeed;
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

    readSandboxClock: async () => ({ now: sandboxClock.now().toISOString() }),

    moveSandboxClock: async ({ body }) => {
      mustBeSandbox();
      await sandboxClock.forward(body.forwardMs);
      return { now: sandboxClock.now().toISOString() };
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

const isFault = (name: string): name is Fault => name in faults;
