import type { Issue } from '#contracts/errors';
import type { Provider, ProviderLimits } from '#contracts/providers';
import { badInput } from '#server/errors';
import type { Network } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';

export type Providers = ReturnType<typeof createProviders>;

/** What the networks offer, for those who have no account there yet. */
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
  /** Needs no registration: live in production and a sandbox elsewhere. */
  const isLive = ({ settings }: Network) =>
    settings.length === 0 ? production : settings.every((name) => setting(name) !== undefined);
  /** Without credentials a network is its sandbox; in production it is left out. */
  const isOffered = (network: Network) => isLive(network) || !production;

  const mustBeKnown = (keys: readonly string[]) => {
    const known = networks.all.map(({ key }) => key);
    const [first, ...others] = keys.flatMap((key, index): Issue[] =>
      known.includes(key)
        ? []
        : [{ path: `networks.${index}`, code: 'UnknownValue', message: `must be one of ${known.join(', ')}` }],
    );
    if (first) throw badInput(first, ...others);
  };

  return {
    isLive,
    isOffered,

    /** Of every network, or of those that are named. */
    limits: (keys: readonly string[] = []): ProviderLimits[] => {
      mustBeKnown(keys);
      const asked = networks.all.filter(({ key }) => keys.length === 0 || keys.includes(key));
      return asked.map(({ key, name, constraints, options }) => ({
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
