import type { Access } from '#server/access/open';
import type { Seal } from '#server/base/secrets/seal';
import type { Messaging } from '#server/messaging/open';
import { type OpenFactors, openFactors } from '#server/people/factors/slice';
import type { OpenPeople } from '#server/people/workspaces/open-people';
import { openWorkspaces, type Workspaces } from '#server/people/workspaces/slice';

export interface People {
  readonly factors: OpenFactors;
  readonly workspaces: Workspaces;
}

/** How people prove who they are, and their workspaces. */
export const openPeopleRoom = ({
  access,
  people: { people, welcome },
  messaging,
  seal,
}: {
  access: Access;
  people: OpenPeople;
  messaging: Messaging;
  seal: Seal;
}) => {
  const { registry, database, config, wallClock, report, auth } = access;
  const { audit } = access.audit;
  const { live } = access.live;
  const { messages } = messaging.messages;
  const factors = registry.open(
    'factors',
    openFactors({ database, auth, people, messages, audit, seal, live, config, wallClock }),
  );
  return {
    factors,
    /** Opened after the accounts, whose access to networks a workspace revokes when it is deleted. */
    openWorkspaces: ({ leaving }: Pick<Parameters<typeof openWorkspaces>[0], 'leaving'>): People => ({
      factors,
      workspaces: registry.open(
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
      ),
    }),
  };
};
