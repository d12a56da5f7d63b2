import { systemClock } from '#server/base/clock';
import { type Config, databaseFolder, SettingError } from '#server/base/config/config';
import { answerMs } from '#server/base/health/answer-within';
import type { OutboundOptions } from '#server/base/outbound/guarded-client';
import type { Examined } from '#server/networks/examine';

/** Opens the networks without the service, so that nothing is created or migrated. */
export const openSites = async (config: Config, internet: OutboundOptions) => {
  const { createRegistry } = await import('#server/base/registry');
  const { wireProviders } = await import('#server/wiring/providers');
  const { openSites: openNetworkSites } = await import('#server/networks/open-sites');
  const { createOutbound } = await import('#server/base/outbound/guarded-client');
  const outbound = createOutbound({ ...config.outbound, ...internet });
  const registry = createRegistry();
  const { networks, providers } = wireProviders({ registry, config });
  const sites = openNetworkSites({ outbound, config, ownUrl: () => config.baseUrl, clock: systemClock });
  return {
    networks,
    sites: registry.open('networks/sites', sites).sites,
    isLive: providers.isLive,
    close: async () => {
      await registry.close();
      await outbound.close();
    },
  };
};

/** `network` is a key, or `all`. */
export const examineNetworks = async (
  config: Config,
  network: string,
  internet: OutboundOptions,
  onEnd: (examined: Examined) => void,
): Promise<readonly Examined[]> => {
  const { examineNetwork } = await import('#server/networks/examine');
  const setting = await readSettings(config);
  const { networks, sites, isLive, close } = await openSites({ ...config, setting }, internet);
  try {
    const chosen = networks.all.filter(({ key }) => network === 'all' || key === network);
    if (chosen.length === 0) {
      const keys = networks.all.map(({ key }) => key).join(', ');
      throw new SettingError(`There is no network ${network}. There are: all, ${keys}.`);
    }
    const { production, baseUrl } = config;
    const shared = { production, baseUrl, setting };
    return await Promise.all(
      chosen.map(async (one) => {
        const examined = await examineNetwork(one, { ...shared, site: sites.live(one), isLive: isLive(one) });
        onEnd(examined);
        return examined;
      }),
    );
  } finally {
    await close();
  }
};

/**
 * Includes credentials that were entered in the app. Without a database it reads only the environment, and `doctor`
 * reports the missing database.
 */
const readSettings = async (config: Config): Promise<Config['setting']> => {
  const { findSeal } = await import('#server/base/secrets/keys');
  const { hasCluster } = await import('#server/base/store/embedded');
  const seal = await findSeal(config);
  const hasDatabase = config.databaseUrl !== undefined || hasCluster(databaseFolder(config));
  if (seal === undefined || !hasDatabase) return config.setting;
  const { connectCore } = await import('#server/wiring/open-core');
  const { core, close } = await connectCore(config, { connectMs: answerMs });
  try {
    const { openNetworks } = await import('#server/wiring/providers');
    const { createSettingReader } = await import('#server/connecting/providers/entered-settings');
    const values = await core.enteredValues(seal);
    const { setting } = createSettingReader({
      networks: openNetworks().all,
      environment: config.setting,
      enteredValues: (id) => values.get(id),
    });
    return setting;
  } finally {
    await close();
  }
};
