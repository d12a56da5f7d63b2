import type { Provider, ProviderLimits } from '#contracts/providers';
import type { Network } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';

export type Providers = ReturnType<typeof createProviders>;

/** What the networks offer, for those who have no account there yet. */
export const createProviders = ({
  networks,
  baseUrl,
  production,
  isSet,
}: {
  networks: Networks;
  baseUrl: string;
  production: boolean;
  /** Whether the operator has set this setting. */
  isSet: (setting: string) => boolean;
}) => {
  /** A network that needs no registration is live in production and a sandbox elsewhere. */
  const isConfigured = ({ settings }: Network) => (settings.length === 0 ? production : settings.every(isSet));

  return {
    limits: (): ProviderLimits[] =>
      networks.all.map(({ key, name, constraints, options }) => ({
        network: key,
        provider: name,
        constraints,
        options: [...options],
      })),

    /** Without credentials a network is its sandbox; in production it is left out. */
    list: (): Provider[] =>
      networks.all
        .map((network) => ({ network, configured: isConfigured(network) }))
        .filter(({ configured }) => configured || !production)
        .map(({ network, configured }) => ({
          network: network.key,
          provider: network.name,
          connectUrl: `${baseUrl}/connect/${network.key}`,
          configured,
          sandbox: !configured,
        })),
  };
};
