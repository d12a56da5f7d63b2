import type { AuditLog } from '#server/access/audit/audit-log';
import { systemClock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import { answerWithin } from '#server/base/health/answer-within';
import { type Check, checksNamed } from '#server/base/health/check';
import { checkDiskSpace, measureFreeBytes } from '#server/base/health/disk-space';
import { mustBeUsable } from '#server/base/health/folder';
import { checkDueWork, checkRecurringWork } from '#server/base/jobs/checks';
import type { DueKind } from '#server/base/jobs/due-work';
import { readJobs } from '#server/base/jobs/read-jobs';
import { checkClock, measureClockSkewMs } from '#server/base/store/clock-skew';
import type { Database } from '#server/base/store/database';
import { isForbidden, messageOf } from '#server/base/store/pg-errors';
import { checkIndexes, checkOwners } from '#server/base/store/schema-checks';
import type { SealedColumn } from '#server/base/store/sealed-column';
import { versionOf } from '#server/networks/examine';
import type { Network } from '#server/networks/network';
import { checkNetworkSettings, settingsOfNetworks } from '#server/networks/settings-check';
import { checkBackup, findLastBackup, type NewestBackup } from '#server/operation/backup/last-backup';
import { endOfNode } from '#server/operation/startup/end-of-node';
import { checkSettingNames } from './misspelt-settings.ts';
import {
  checkDemoClock,
  checkFfmpeg,
  checkKeyFile,
  checkKeys,
  checkMail,
  checkMedia,
  checkNetworkClock,
  checkPeople,
  checkTables,
  checkWritable,
  migrationCheck,
  type OpenSites,
} from './part-checks.ts';
import { type CheckOptions, type CheckRule, runChecks } from './run-checks.ts';

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
  /** Of every slice, when all are open. */
  readonly sealed: () => readonly SealedColumn[];
  readonly workspaces: () => Promise<readonly { id: string; name: string }[]>;
  readonly sandboxOffsetMs: () => Promise<number>;
  /** Keys of the networks that have an account. */
  readonly liveNetworks: () => Promise<readonly string[]>;
  readonly openSites: () => Promise<OpenSites>;
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
    { name: 'key file', run: () => checkKeyFile(config) },
    { name: 'media', run: () => checkMedia(config), atStart: true, isCostly: true },
    {
      name: 'disk space',
      run: async () => [await checkDiskSpace(config.dataDir, config.media.reserveBytes, freeBytes)],
    },
    { name: 'backup folder', run: async () => [await checkBackupFolder(config.backup)], atStart: true },
    { name: 'settings', run: async () => checkSettings({ config, networks }), atStart: true },
    { name: 'Node', run: async () => (oldNode ? [checksNamed('Node').note(oldNode)] : []) },
    { name: 'ffmpeg', run: async () => [await checkFfmpeg(config)], isCostly: true },
    { name: 'mail', run: async () => [await checkMail(config)], isCostly: true },
  ];
};

const checkBackupFolder = async ({ folder }: Config['backup']) => {
  const { ok, failure } = checksNamed('backup');
  return mustBeUsable(folder, 'backups are').then(
    () => ok(`Backups are kept in ${folder}`),
    (error: unknown) => failure(`No backup can be made: ${messageOf(error)}`),
  );
};

const ownerRule = ({ database }: InstallationParts): CheckRule => ({
  name: 'tables',
  run: () => checkOwners(database),
  atStart: true,
});

/** The database may lack migrations. */
const connectionRules = ({ config, database }: InstallationParts): CheckRule[] => [
  { name: migrationCheck, run: () => checkTables(config, database) },
  { name: 'database', run: () => checkWritable(config, database), atStart: true },
];

const keyRule = (parts: InstallationParts): CheckRule => ({
  name: 'keys',
  run: () => checkKeys(parts.config, parts),
  isCostly: true,
});

const silentDatabase = 'PostgreSQL is overloaded, or another session holds a lock: look at pg_stat_activity';

/** The database must be migrated. */
const databaseRules = async (parts: InstallationParts): Promise<CheckRule[]> => {
  const { database, audit, due, checks, config, networks, isLive, isHeld, newestBackup } = parts;
  const { production } = config;
  const now = systemClock.now();
  const site = { setting: (name: string, byDefault: string) => config.setting(name) ?? byDefault, now: () => now };
  const rules: readonly CheckRule[] = [
    keyRule(parts),
    { name: 'people', run: () => checkPeople(parts.workspaces) },
    { name: 'demo', run: () => checkDemoClock(parts.sandboxOffsetMs), atStart: true },
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
    { name: 'network clock', run: () => checkNetworkClock(parts), isCostly: true },
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
    .map((rule) => ({ advice: silentDatabase, ...rule }));
};

/** What needs the database, as far as it has what a check needs. */
export const checkDatabase = async (parts: InstallationParts, options: CheckOptions): Promise<Check[]> => {
  const owners = await runChecks([ownerRule(parts)], options);
  const isRefused = owners.some(({ level }) => level === 'failure');
  const ours = { ...options, isKnown: (error: unknown) => isRefused && isForbidden(error) };
  const connection = await runChecks(connectionRules(parts), ours);
  const migrated = connection.filter(({ name }) => name === migrationCheck);
  const isMigrated = migrated.length > 0 && migrated.every(({ level }) => level !== 'failure');
  return [
    ...owners,
    ...connection,
    ...(await runChecks(isMigrated ? await databaseRules(parts) : [keyRule(parts)], ours)),
  ];
};

/** What a start runs: it logs what is not ok, and refuses with what a check throws. */
export const startRules = async (parts: InstallationParts): Promise<CheckRule[]> =>
  [...connectionRules(parts), ownerRule(parts), ...(await databaseRules(parts)), ...localRules(parts)].filter(
    ({ atStart }) => atStart,
  );

const agesOf = async (due: InstallationParts['due']) => {
  const ages = new Map<DueKind, number>();
  for (const [kind, msToNext] of Object.entries(due)) {
    ages.set(kind as DueKind, Math.max(-((await msToNext()) ?? 0), 0));
  }
  return ages;
};
