import { openInstallation } from '#server/operation/installation/slice';
import { openPasskeys } from '#server/people/passkeys/slice';
import { openSecondFactors, type SecondFactors } from '#server/people/second-factors/slice';
import type { Seal } from '#server/base/secrets/seal';
import { openWorkspaces } from '#server/people/workspaces/slice';
import type { Core } from '#server/wiring/core';
import { installationParts } from '#server/wiring/installation-parts';
import type { Messaging } from '#server/messaging/open';
import type { Networks } from '#server/connecting/open';

export type People = ReturnType<typeof wirePeople>;

/** Workspaces, their members, and the checks for the operator. */
export const wirePeople = ({
  core,
  messaging,
  networks: { networks, sites, providers, accounts, config },
  seal,
}: {
  core: Core;
  messaging: Messaging;
  networks: Networks;
  seal: Seal;
}) => {
  const { registry, database, wallClock, report, auth } = core;
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
  const { messages } = messaging.messages;
  const passkeys = registry.open(
    'passkeys',
    openPasskeys({
      database,
      auth,
      people,
      // Opened after them, because a passkey can be the second factor.
      proof: {
        asks: (...args) => secondFactors.proof.asks(...args),
        mustProve: (...args) => secondFactors.proof.mustProve(...args),
      },
      messages,
      audit,
      live: core.live.live,
      config,
      wallClock,
    }),
  );
  const secondFactors: SecondFactors = registry.open(
    'second-factors',
    openSecondFactors({
      database,
      auth,
      people,
      passkeys: passkeys.passkeys,
      messages,
      audit,
      seal,
      live: core.live.live,
      config,
      wallClock,
    }),
  );
  const installation = registry.open(
    'installation',
    openInstallation({
      parts: {
        ...installationParts(core),
        config,
        networks: networks.all,
        isLive: providers.isLive,
        openSites: async () => ({ sites, close: async () => undefined }),
      },
      people,
      audit,
      readHold: core.readHold,
    }),
  );
  return { workspaces, passkeys, secondFactors, installation };
};
