import type { Issue } from '#contracts/errors';
import type { Provider, ProviderLimits } from '#contracts/providers';
import { badInput } from '#server/base/errors';
import type { Network } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';

export type Providers = ReturnType<typeof createProviders>;

/** The networks that can be connected, and their limits. */
export const createProviders = ({
  networks,
  baseUrl,
  production,
  setting,
}: {
  networks: Networks;
  baseUrl: string;
  production: boolean;
  /** The operator's settings. */
  setting: (name: string) => string | undefined;
}) => {
  /** A network without settings needs no registration: it is live in production and a sandbox elsewhere. */
  const isLive = ({ settings }: Network) =>
    settings.length === 0 ? production : settings.every((name) => setting(name) !== undefined);
  /** Without credentials a network is its sandbox; in production it is left out. */
  const isOffered = (network: Network) => isLive(network) || !production;

  const mustBeKnown = (keys: readonly string[]) => {
    const allKeys = networks.all.map(({ key }) => key);
    const [first, ...others] = keys.flatMap((key, index): Issue[] =>
      allKeys.includes(key)
        ? []
        : [{ path: `networks.${index}`, code: 'UnknownValue', message: `must be one of ${allKeys.join(', ')}` }],
    );
    if (first) throw badInput(first, ...others);
  };

  return {
    isLive,
    isOffered,

    /** Of the named networks, or of all. */
    limits: (keys: readonly string[] = []): ProviderLimits[] => {
      mustBeKnown(keys);
      const selected = networks.all.filter(({ key }) => keys.length === 0 || keys.includes(key));
      return selected.map(({ key, name, constraints, options }) => ({
        network: key,
        provider: name,
        constraints,
        options: [...options],
      }));
    },

    list: (): Provider[] =>
      networks.all.filter(isOffered).map((network) => ({
        network: network.key,
        provider: network.name,
        badge: network.badge,
        connectUrl: `${baseUrl}/connect/${network.key}`,
        configured: isLive(network),
        sandbox: !isLive(network),
      })),
  };
};
