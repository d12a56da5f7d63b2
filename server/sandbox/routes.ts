import type { AppRoutes } from '#contracts/app';
import { instantOf } from '#contracts/instant';
import type { RouteHandlers } from '#server/context';
import { badInput, notFound, Refusal } from '#server/errors';
import { type Fault, faults } from '#server/networks/sandbox';
import type { SandboxClock } from './clock.ts';
import type { Sandboxes } from './sandboxes.ts';

type Routes = Pick<AppRoutes, 'readSandboxClock' | 'moveSandboxClock' | 'planSandboxFault'>;

export const sandboxRoutes = ({
  sandboxes,
  sandboxClock,
  production,
}: {
  sandboxes: Sandboxes;
  sandboxClock: SandboxClock;
  production: boolean;
}): RouteHandlers<Routes> => {
  const mustBeSandbox = () => {
    if (production) throw new Refusal('Forbidden', 'There is no sandbox in production.');
  };
  return {
    readSandboxClock: async () => ({ now: instantOf(sandboxClock.now()) }),

    moveSandboxClock: async ({ body }) => {
      mustBeSandbox();
      await sandboxClock.forward(body.forwardMs);
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
