import type { Network } from '#server/networks/network';
import type { Seal } from '#server/secrets/seal';
import type { NetworkKeyRow } from './store.ts';

export type Values = Readonly<Record<string, string>>;

export const placeOf = (id: string) => `network_keys:${id}:sealed_values`;

export const openValues = (seal: Seal, { id, sealedValues }: NetworkKeyRow) =>
  JSON.parse(seal.open(sealedValues, placeOf(id))) as Values;

/** Reads a setting of the environment, or else as it was entered in the app. */
export const createSettingReader = ({
  networks,
  environment,
  enteredValues,
}: {
  networks: readonly Network[];
  /** Wins, for all credentials of a network together. */
  environment: (name: string) => string | undefined;
  /** By the first setting of a network. */
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
