import { type Check, checksNamed } from '#server/base/health/check';
import type { Network } from './network.ts';

type ReadSetting = (name: string) => string | undefined;

const versionIn = ({ app }: Network, setting: ReadSetting) =>
  app.api({ setting: (name, byDefault) => setting(name) ?? byDefault });

/** Only some of the credentials are set: the network stays a sandbox or is left out, which nobody intends. */
export const checkCredentials = ({ name, settings }: Network, setting: ReadSetting): Check | undefined => {
  const missing = settings.filter((one) => setting(one) === undefined);
  if (missing.length === 0 || missing.length === settings.length) return undefined;
  const present = settings.filter((one) => !missing.includes(one));
  return checksNamed(name).failure(
    `${present.join(' and ')} is set and ${missing.join(' and ')} is not, so the real ${name} is not used. Set ${missing.join(' and ')} too, or neither.`,
  );
};

/** Whether the configured version has the network's format. */
export const checkVersionFormat = (network: Network, setting: ReadSetting): Check | undefined => {
  const { version, setting: where, expected } = versionIn(network, setting);
  if (expected === undefined) return undefined;
  return checksNamed(network.name).failure(
    `${where} is ${version}, which ${network.name} refuses. Set it to ${expected}, or leave it out.`,
  );
};

/** Problems in the settings of all networks, used or not. A setting shared by a family is reported once. */
export const checkNetworkSettings = (networks: readonly Network[], setting: ReadSetting): Check[] => {
  const versions = new Map(
    // Reversed, so that the first network of a family is the one named.
    networks.toReversed().flatMap((network) => {
      const wrong = checkVersionFormat(network, setting);
      return wrong ? [[versionIn(network, setting).setting, wrong] as const] : [];
    }),
  );
  return [...networks.flatMap((network) => checkCredentials(network, setting) ?? []), ...versions.values()];
};

/** Every setting that some network reads. */
export const settingsOfNetworks = (networks: readonly Network[]): string[] =>
  networks.flatMap((network) => [
    ...network.settings,
    ...(network.otherSettings ?? []),
    ...[versionIn(network, () => undefined).setting].filter((name) => name !== undefined),
  ]);
