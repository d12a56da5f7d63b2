import type { providerActions } from '#contracts/providers';
import type { Handler } from '#server/context';
import type { Providers } from '#server/providers/providers';

export const listProviders =
  ({ providers }: { providers: Providers }): Handler<(typeof providerActions)['providers.list']> =>
  async () => ({ providers: providers.list() });
