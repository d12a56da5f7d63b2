import type { providerActions } from '#contracts/providers';
import type { Handler } from '#server/context';
import type { NetworkKeys } from '#server/providers/network-keys';
import type { Providers } from '#server/providers/providers';

export const listProviders =
  ({
    providers,
    networkKeys,
  }: {
    providers: Providers;
    networkKeys: Pick<NetworkKeys, 'settled'>;
  }): Handler<(typeof providerActions)['providers.list']> =>
  async () => {
    await networkKeys.settled();
    return { providers: providers.list() };
  };
