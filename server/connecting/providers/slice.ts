import type { Config } from '#server/base/config/config';
import type { Networks } from '#server/networks/registry';
import { createProviders } from './providers.ts';

export const openProviders = ({ networks, config }: { networks: Networks; config: Config }) => {
  const { baseUrl, production, setting } = config;
  return { providers: createProviders({ networks, baseUrl, production, setting }) };
};
