import type { providerActions } from '#contracts/providers';
import type { Handler } from '#server/base/context';
import type { Providers } from '#server/connecting/providers/providers';

export const listProviderLimits =
  ({ providers }: { providers: Providers }): Handler<(typeof providerActions)['providers.limits']> =>
  async ({ input: { networks } }) => ({ providers: providers.limits(networks) });
