import type { Seal } from '#server/base/secrets/seal';
import type { Network } from '#server/networks/network';
import type { NetworkKeyRow } from './store.ts';

export type Values = Readonly<Record<string, string>>;

export const placeOf = (id: string) => `network_keys:${id}:sealed_values`;

export const openValues = (seal: Seal, { id, sealedValues }: NetworkKeyRow) =>
  JSON.parse(seal.open(sealedValues, placeOf(id))) as Values;

/** Reads a setting from the environment, else from what was entered in the app. */
export const createSettingReader = ({
  networks,
  environment,
  enteredValues,
}: {
  networks: readonly Network[];
  /** Takes precedence for a network as a whole: if it has one of the credentials, it must have all of them. */
  environment: (name: string) => string | undefined;
  /** `id` is the name of the network's first setting. */
  enteredValues: (id: string) => Values | undefined;
}) => {
  const groups = new Map(networks.flatMap(({ settings }) => settings.map((name) => [name, settings] as const)));
  const isInEnvironment = (settings: readonly string[]) => settings.some((name) => environment(name) !== undefined);
  return {
    isInEnvironment,
    setting: (name: string): string | undefined => {
      const settings = groups.get(name);
      if (settings === undefined || isInEnvironment(settings)) return environment(name);
      return enteredValues(settings[0] ?? '')?.[name];
    },
  };
};
