import type { providerActions } from '#contracts/providers';
import type { Handler } from '#server/base/context';
import type { NetworkKeys } from '#server/connecting/providers/network-keys';
import type { Providers } from '#server/connecting/providers/providers';

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
