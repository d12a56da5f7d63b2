import type { AuditLog } from '#server/audit/audit-log';
import { checkBackup, findLastBackup, type NewestBackup } from '#server/backup/last-backup';
import { systemClock } from '#server/clock';
import type { Config } from '#server/config/config';
import { answerWithin } from '#server/health/answer-within';
import { type Check, checksNamed } from '#server/health/check';
import { checkDiskSpace, measureFreeBytes } from '#server/health/disk-space';
import { mustBeUsable } from '#server/health/folder';
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
import { checkIndexes } from '#server/store/schema-checks';
import { checkSettingNames } from './misspelt-settings.ts';
import type { CheckRule } from './run-checks.ts';

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
const checkSettings = ({ config, networks }: Pick<InstallationParts, 'config' | 'networks'>): Check[] => {
  const { settingNames, setting } = config;
  return [
    ...checkNetworkSettings(networks, setting),
    ...checkSettingNames(settingNames, { ofNetworks: settingsOfNetworks(networks), setting }),
  ];
};

/** The parts that do not need the database. */
export const localRules = ({
  config,
  networks,
  freeBytes = measureFreeBytes,
}: Pick<InstallationParts, 'config' | 'networks' | 'freeBytes'>): CheckRule[] => {
  const oldNode = endOfNode(process.version, systemClock.now());
  return [
    {
      name: 'disk space',
      run: async () => [await checkDiskSpace(config.dataDir, config.media.reserveBytes, freeBytes)],
    },
    { name: 'backup', run: async () => [await checkBackupFolder(config.backup)], atStart: true },
    { name: 'settings', run: async () => checkSettings({ config, networks }), atStart: true },
    { name: 'Node', run: async () => (oldNode ? [checksNamed('Node').note(oldNode)] : []) },
  ];
};

const checkBackupFolder = async ({ folder }: Config['backup']) => {
  const { ok, failure } = checksNamed('backup');
  return mustBeUsable(folder, 'backups are').then(
    () => ok(`Backups are kept in ${folder}`),
    (error: unknown) => failure(`No backup can be made: ${messageOf(error)}`),
  );
};

const silentDatabase =
  'PostgreSQL is overloaded, or another session holds a lock: look at pg_stat_activity, then run doctor again.';

/** The database must be migrated. */
export const databaseRules = async (parts: InstallationParts): Promise<CheckRule[]> => {
  const { database, audit, due, checks, config, networks, isLive, isHeld, newestBackup } = parts;
  const { production } = config;
  const now = systemClock.now();
  const site = { setting: (name: string, byDefault: string) => config.setting(name) ?? byDefault, now: () => now };
  const rules: readonly CheckRule[] = [
    ...Object.entries(checks).map(([name, check]) => ({ name, run: async () => [await check()] })),
    { name: 'due work', run: async () => [checkDueWork(await agesOf(due))] },
    {
      name: 'recurring work',
      run: async () =>
        checkRecurringWork(await readJobs(database, config.mongodbUrl, () => undefined), { now, production }),
    },
    { name: 'indexes', run: () => checkIndexes(database), atStart: true },
    {
      name: 'clock',
      run: async () => [checkClock(await measureClockSkewMs(database), 'the database')],
      atStart: true,
    },
    {
      name: 'backup',
      run: async () => [
        checkBackup(await findLastBackup(audit), await newestBackup(), {
          now,
          production,
          isNightly: config.backup.at !== undefined,
        }),
      ],
    },
    {
      name: 'network versions',
      // `checkSettings` reports versions in a wrong format.
      run: async () =>
        networks
          .filter((network) => isLive(network) && network.app.api(site).expected === undefined)
          .map((network) => versionOf(network, site))
          .filter(({ level }) => level !== 'ok'),
    },
  ];
  // During a hold, late posts and due work are normal; the check of the hold says what to do.
  const held = await answerWithin(isHeld).catch(() => false);
  return rules
    .filter(({ name }) => !held || (name !== 'late posts' && name !== 'due work'))
    .map((rule) => ({ ...rule, advice: silentDatabase }));
};

const agesOf = async (due: InstallationParts['due']) => {
  const ages = new Map<DueKind, number>();
  for (const [kind, msToNext] of Object.entries(due)) {
    ages.set(kind as DueKind, Math.max(-((await msToNext()) ?? 0), 0));
  }
  return ages;
};
