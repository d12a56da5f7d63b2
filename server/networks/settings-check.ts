import { type Check, checksNamed } from '#server/health/check';
import type { Network } from './network.ts';

type ReadSetting = (name: string) => string | undefined;

const versionIn = ({ app }: Network, setting: ReadSetting) =>
  app.api({ setting: (name, byDefault) => setting(name) ?? byDefault });

/** Half of what a network needs: it stays a sandbox, or is left out, and nobody meant that. */
export const checkCredentials = ({ name, settings }: Network, setting: ReadSetting): Check | undefined => {
  const missing = settings.filter((one) => setting(one) === undefined);
  if (missing.length === 0 || missing.length === settings.length) return undefined;
  const present = settings.filter((one) => !missing.includes(one));
  return checksNamed(name).failure(
    `${present.join(' and ')} is set and ${missing.join(' and ')} is not, so the real ${name} is not used. Set ${missing.join(' and ')} too, or neither.`,
  );
};

/** Whether the network can have such a version at all. */
export const checkVersionFormat = (network: Network, setting: ReadSetting): Check | undefined => {
  const { version, setting: where, expected } = versionIn(network, setting);
  if (expected === undefined) return undefined;
  return checksNamed(network.name).failure(
    `${where} is ${version}, which ${network.name} refuses. Set it to ${expected}, or leave it out.`,
  );
};

/** What is wrong whether or not the network is used yet. Networks of one family may share a setting, which is said once. */
export const checkNetworkSettings = (networks: readonly Network[], setting: ReadSetting): Check[] => {
  const versions = new Map(
    // The first one of a family is named.
    networks.toReversed().flatMap((network) => {
      const wrong = checkVersionFormat(network, setting);
      return wrong ? [[versionIn(network, setting).setting, wrong] as const] : [];
    }),
  );
  return [...networks.flatMap((network) => checkCredentials(network, setting) ?? []), ...versions.values()];
};

/** Every name that some network reads. */
export const settingsOfNetworks = (networks: readonly Network[]): string[] =>
  networks.flatMap((network) => [
    ...network.settings,
    ...(network.otherSettings ?? []),
    ...[versionIn(network, () => undefined).setting].filter((name) => name !== undefined),
  ]);
