import { checkAccounts } from '#server/accounts/for-operators';
import type { AuditLog } from '#server/audit/audit-log';
import { checkBackup, findLastBackup } from '#server/backup/last-backup';
import { type Check, checksNamed } from '#server/check';
import { systemClock } from '#server/clock';
import type { Config } from '#server/config';
import { nextDue, readJobs } from '#server/for-operators';
import { checkDueWork, checkRecurringWork } from '#server/jobs/checks';
import type { DueKind } from '#server/jobs/notices';
import { versionOf } from '#server/networks/examine';
import type { Network } from '#server/networks/network';
import { checkNetworkSettings, settingsOfNetworks } from '#server/networks/settings-check';
import { endOfNode } from '#server/node-version';
import { checkLatePosts } from '#server/publishing/for-operators';
import { messageOf } from '#server/store/away';
import { checkClock, measureClockSkewMs } from '#server/store/clock-skew';
import type { Database } from '#server/store/database';
import { checkWebhooks } from '#server/webhooks/for-operators';
import { checkDiskSpace, measureFreeBytes } from './disk-space.ts';
import { checkSettingNames } from './misspelt-settings.ts';

export interface InstallationParts {
  readonly database: Database;
  readonly audit: Pick<AuditLog, 'newestOfService'>;
  readonly config: Config;
  readonly networks: readonly Network[];
  /** Whether accounts are connected on the real network. */
  readonly isLive: (network: Network) => boolean;
  /** For tests, which cannot fill a disk. */
  readonly freeBytes?: typeof measureFreeBytes;
}

/** Settings that start in silence and do not do what was meant. */
export const checkSettings = ({ config, networks }: Pick<InstallationParts, 'config' | 'networks'>): Check[] => {
  const { settingNames, setting } = config;
  return [
    ...checkNetworkSettings(networks, setting),
    ...checkSettingNames(settingNames, { ofNetworks: settingsOfNetworks(networks), setting }),
  ];
};

/** What the app tells its operator and what `doctor` says: both read this list, on a migrated database. */
export const checkInstallation = async (parts: InstallationParts): Promise<Check[]> => {
  const { database, audit, config, networks, isLive, freeBytes = measureFreeBytes } = parts;
  const { production } = config;
  const now = systemClock.now();
  const site = { setting: (name: string, byDefault: string) => config.setting(name) ?? byDefault, now: () => now };
  const oldNode = endOfNode(process.version, now);
  const rules: Readonly<Record<string, () => Promise<readonly Check[]>>> = {
    'late posts': async () => [await checkLatePosts(database)],
    'due work': async () => [checkDueWork(await agesOf(database))],
    'recurring work': async () => checkRecurringWork(await jobsOf(database, config), { now, production }),
    accounts: async () => [await checkAccounts(database)],
    webhooks: async () => [await checkWebhooks(database)],
    clock: async () => [checkClock(await measureClockSkewMs(database), 'the database')],
    'disk space': async () => [await checkDiskSpace(config.dataDir, freeBytes)],
    backup: async () => [checkBackup(await findLastBackup(audit), { now, production })],
    settings: async () => checkSettings(parts),
    // What is wrong with the format of a version stands among the settings.
    'network versions': async () =>
      networks
        .filter((network) => isLive(network) && network.app.api(site).expected === undefined)
        .map((network) => versionOf(network, site))
        .filter(({ level }) => level !== 'ok'),
    Node: async () => (oldNode ? [checksNamed('Node').note(oldNode)] : []),
  };
  const checks: Check[] = [];
  for (const [name, rule] of Object.entries(rules)) {
    checks.push(...(await rule().catch((error: unknown) => [checksNamed(name).failure(`${messageOf(error)}.`)])));
  }
  return checks;
};

const agesOf = async (database: Database) => {
  const ages = new Map<DueKind, number>();
  for (const [kind, msToNext] of Object.entries(nextDue)) {
    ages.set(kind as DueKind, Math.max(-((await msToNext(database)) ?? 0), 0));
  }
  return ages;
};

/** MongoDB takes long to load, and most have none. */
const jobsOf = async (database: Database, { mongodbUrl }: Config) => {
  if (mongodbUrl === undefined) return readJobs(database);
  const { readJobsInMongo } = await import('#server/jobs/agenda');
  return readJobsInMongo(mongodbUrl, () => undefined);
};
