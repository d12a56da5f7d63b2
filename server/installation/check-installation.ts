import type { AuditLog } from '#server/audit/audit-log';
import { checkBackup, findLastBackup, type NewestBackup } from '#server/backup/last-backup';
import { systemClock } from '#server/clock';
import type { Config } from '#server/config/config';
import { type Check, checksNamed } from '#server/health/check';
import { checkDiskSpace, measureFreeBytes } from '#server/health/disk-space';
import { checkDueWork, checkRecurringWork } from '#server/jobs/checks';
import type { DueKind } from '#server/jobs/due-work';
import { readJobs } from '#server/jobs/read-jobs';
import { versionOf } from '#server/networks/examine';
import type { Network } from '#server/networks/network';
import { checkNetworkSettings, settingsOfNetworks } from '#server/networks/settings-check';
import { endOfNode } from '#server/startup/end-of-node';
import { checkClock, measureClockSkewMs } from '#server/store/clock-skew';
import type { Database } from '#server/store/database';
import { messageOf } from '#server/store/pg-errors';
import { checkSettingNames } from './misspelt-settings.ts';

export interface InstallationParts {
  readonly database: Database;
  readonly audit: Pick<AuditLog, 'newestForService'>;
  /** Milliseconds until the next row is due; undefined if none is waiting. */
  readonly due: Readonly<Record<DueKind, () => Promise<number | undefined>>>;
  /** Checks of the slices, by name. */
  readonly checks: Readonly<Record<string, () => Promise<Check>>>;
  readonly config: Config;
  readonly networks: readonly Network[];
  /** Whether nothing may go out after a restore. */
  readonly isHeld: () => Promise<boolean>;
  readonly newestBackup: () => Promise<NewestBackup | undefined>;
  /** Whether accounts are connected on the real network. */
  readonly isLive: (network: Network) => boolean;
  /** For tests, which cannot fill a disk. */
  readonly freeBytes?: typeof measureFreeBytes;
}

/** Settings that do not stop the start, but will not work as intended. */
export const checkSettings = ({ config, networks }: Pick<InstallationParts, 'config' | 'networks'>): Check[] => {
  const { settingNames, setting } = config;
  return [
    ...checkNetworkSettings(networks, setting),
    ...checkSettingNames(settingNames, { ofNetworks: settingsOfNetworks(networks), setting }),
  ];
};

/** The app and `doctor` show this list to the operator. The database must be migrated. */
export const checkInstallation = async (parts: InstallationParts): Promise<Check[]> => {
  const { database, audit, due, checks, config, networks, isLive, isHeld, newestBackup } = parts;
  const { freeBytes = measureFreeBytes } = parts;
  const { production } = config;
  const now = systemClock.now();
  const site = { setting: (name: string, byDefault: string) => config.setting(name) ?? byDefault, now: () => now };
  const oldNode = endOfNode(process.version, now);
  const rules: Readonly<Record<string, () => Promise<readonly Check[]>>> = {
    ...Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, async () => [await check()]])),
    'due work': async () => [checkDueWork(await agesOf(due))],
    'recurring work': async () =>
      checkRecurringWork(await readJobs(database, config.mongodbUrl, () => undefined), { now, production }),
    clock: async () => [checkClock(await measureClockSkewMs(database), 'the database')],
    'disk space': async () => [await checkDiskSpace(config.dataDir, freeBytes)],
    backup: async () => [
      checkBackup(await findLastBackup(audit), await newestBackup(), {
        now,
        production,
        isNightly: config.backup.at !== undefined,
      }),
    ],
    settings: async () => checkSettings(parts),
    // `checkSettings` reports versions in a wrong format.
    'network versions': async () =>
      networks
        .filter((network) => isLive(network) && network.app.api(site).expected === undefined)
        .map((network) => versionOf(network, site))
        .filter(({ level }) => level !== 'ok'),
    Node: async () => (oldNode ? [checksNamed('Node').note(oldNode)] : []),
  };
  // During a hold, late posts and due work are normal; the check of the hold says what to do.
  const held = await isHeld().catch(() => false);
  const results: Check[] = [];
  for (const [name, rule] of Object.entries(rules)) {
    if (held && (name === 'late posts' || name === 'due work')) continue;
    results.push(...(await rule().catch((error: unknown) => [checksNamed(name).failure(`${messageOf(error)}.`)])));
  }
  return results;
};

const agesOf = async (due: InstallationParts['due']) => {
  const ages = new Map<DueKind, number>();
  for (const [kind, msToNext] of Object.entries(due)) {
    ages.set(kind as DueKind, Math.max(-((await msToNext()) ?? 0), 0));
  }
  return ages;
};
