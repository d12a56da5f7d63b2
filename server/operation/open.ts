import type { Access } from '#server/access/open';
import type { MeasureFreeBytes } from '#server/base/health/disk-space';
import type { Seal } from '#server/base/secrets/seal';
import type { Connecting } from '#server/connecting/open';
import type { Delivery } from '#server/delivery/open';
import type { Messaging } from '#server/messaging/open';
import { openBackups } from '#server/operation/backup/slice';
import { openHold } from '#server/operation/hold/slice';
import { openInstallation } from '#server/operation/installation/slice';
import type { People } from '#server/people/open';
import type { OpenPeople } from '#server/people/workspaces/open-people';

type InstallationParts = Parameters<typeof openInstallation>[0];

export type Operation = ReturnType<typeof openOperation>;

/** What the operator is told, what is held back after a restore, and backups. */
export const openOperation = ({
  access,
  people: { people, welcome },
  peopleRoom: { workspaces, factors },
  messaging,
  connecting: { networks, sites, providers, config },
  delivery: { publishing },
  parts,
  readHold,
  seal,
  freeBytes,
}: {
  access: Access;
  people: OpenPeople;
  peopleRoom: People;
  messaging: Messaging;
  connecting: Connecting;
  delivery: Delivery;
  parts: Omit<InstallationParts['parts'], 'config' | 'networks' | 'isLive' | 'openSites'>;
  readHold: InstallationParts['readHold'];
  seal: Seal;
  freeBytes: MeasureFreeBytes;
}) => {
  const { registry, database, wallClock, report } = access;
  const { audit } = access.audit;
  const installation = registry.open(
    'installation',
    openInstallation({
      parts: {
        ...parts,
        config,
        networks: networks.all,
        isLive: providers.isLive,
        openSites: async () => ({ sites, close: async () => undefined }),
      },
      people,
      audit,
      readHold,
    }),
  );
  const hold = registry.open(
    'hold',
    openHold({
      database,
      publishing,
      webhooks: messaging.webhooks,
      messages: messaging.messages,
      audit,
      wallClock,
    }),
  );
  const backup = registry.open(
    'backup',
    openBackups({
      database,
      hold: hold.hold,
      people,
      mustProve: factors.proof.mustProve,
      seal,
      mayRestore: welcome.mayRestore,
      mayTry: workspaces.mayTry,
      config: access.config,
      wallClock,
      freeBytes,
      report,
    }),
  );
  return { installation, hold, backup };
};
