import type { Access } from '#server/access/open';
import type { Config } from '#server/base/config/config';
import type { Seal } from '#server/base/secrets/seal';
import type { Messaging } from '#server/messaging/open';
import { openPasskeys } from '#server/people/passkeys/slice';
import { openSecondFactors, type SecondFactors } from '#server/people/second-factors/slice';
import type { OpenPeople } from '#server/people/workspaces/open-people';
import { openWorkspaces } from '#server/people/workspaces/slice';

export type People = ReturnType<typeof openPeopleRoom>;

/** Workspaces, their members, and how they prove who they are. */
export const openPeopleRoom = ({
  access,
  people: { people, welcome },
  messaging,
  leaving,
  config,
  seal,
}: {
  access: Access;
  people: OpenPeople;
  messaging: Messaging;
  leaving: Parameters<typeof openWorkspaces>[0]['leaving'];
  /** With the credentials of networks that were entered in the app. */
  config: Config;
  seal: Seal;
}) => {
  const { registry, database, wallClock, report, auth } = access;
  const { audit } = access.audit;
  const { live } = access.live;
  const { messages } = messaging.messages;
  const workspaces = registry.open(
    'workspaces',
    openWorkspaces({
      database,
      auth,
      people,
      welcome,
      plans: access.plans.plans,
      leaving,
      audit,
      live,
      messages,
      notifications: messaging.notifications.notifications,
      report,
      config,
      wallClock,
    }),
  );
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
      live,
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
      live,
      config,
      wallClock,
    }),
  );
  return { workspaces, passkeys, secondFactors };
};
