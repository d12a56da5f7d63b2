import { openInstallation } from '#server/installation/slice';
import { openWorkspaces } from '#server/workspaces/slice';
import type { Core } from './core.ts';
import type { Messaging } from './messaging.ts';
import type { Networks } from './networks.ts';

export type People = ReturnType<typeof wirePeople>;

/** Workspaces, their members, and the checks for the operator. */
export const wirePeople = ({
  core,
  messaging,
  networks: { networks, providers, accounts },
}: {
  core: Core;
  messaging: Messaging;
  networks: Networks;
}) => {
  const { registry, database, config, wallClock, report, auth } = core;
  const { audit } = core.audit;
  const { people, welcome } = core.people;
  const workspaces = registry.open(
    'workspaces',
    openWorkspaces({
      database,
      auth,
      people,
      welcome,
      plans: core.plans.plans,
      leaving: accounts.accounts.prepareRevocation,
      audit,
      live: core.live.live,
      messages: messaging.messages.messages,
      notifications: messaging.notifications.notifications,
      report,
      config,
      wallClock,
    }),
  );
  const installation = registry.open(
    'installation',
    openInstallation({
      database,
      audit,
      due: registry.due(),
      checks: registry.checks(),
      config,
      networks,
      providers,
      people,
    }),
  );
  return { workspaces, installation };
};
