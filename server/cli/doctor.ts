import { type Config, packageVersion } from '#server/config/config';
import { type Check, type CheckLevel, checksNamed } from '#server/health/check';
import type { MeasureFreeBytes } from '#server/health/disk-space';
import type { Network } from '#server/networks/network';
import type { OutboundOptions } from '#server/outbound/guarded-client';
import { messageOf } from '#server/store/pg-errors';
import type { Command } from './command.ts';
import {
  checkAssistant,
  checkFfmpeg,
  checkKeyFile,
  checkKeys,
  checkMail,
  checkMedia,
  checkNetworkClock,
  checkNetworks,
  checkPeople,
  checkProcess,
  checkTables,
  type Fix,
  findDatabase,
  isMigrated,
} from './doctor-checks.ts';

export const doctor: Command = async (config, { network, fix, json }) => {
  const { text, ...report } =
    network === undefined
      ? await diagnose(config, { fix: fix !== undefined })
      : await diagnoseNetworks(config, network);
  console.log(json === undefined ? text : JSON.stringify({ version: packageVersion, ...report }, null, 2));
  process.exitCode = report.healthy ? 0 : 1;
};

/** `network` is a key, or `all`. */
export const diagnoseNetworks = async (config: Config, network: string, internet: OutboundOptions = {}) => {
  const { examineNetworks } = await import('./doctor-networks.ts');
  const networks = await examineNetworks(config, network, internet);
  const checks = networks.flatMap((one) => one.checks);
  const sections = networks.flatMap(({ name, network: key, checks: own }) => [
    `${name} (${key})`,
    ...own.map(formatCheck),
    '',
  ]);
  return { text: [...sections, summarize(checks)].join('\n'), healthy: isHealthy(checks), networks };
};

/** Tests replace these. */
interface Environment {
  readonly internet?: OutboundOptions;
  readonly freeBytes?: MeasureFreeBytes;
}

/** Reports settings, reachable services and problems. Changes nothing without `fix`. */
export const diagnose = async (
  config: Config,
  { fix = false, ...environment }: { fix?: boolean } & Environment = {},
) => {
  const repairs: string[] = [];
  const checks = await collect(config, fix ? (what) => repairs.push(what) : undefined, environment);
  const lines = levels.flatMap((level) => [
    ...(level === 'warning' ? repairs.map((what) => `FIXED    ${what}`) : []),
    ...checks.filter((check) => check.level === level).map(formatCheck),
  ]);
  return { text: [...lines, '', summarize(checks)].join('\n'), healthy: isHealthy(checks), checks, fixed: repairs };
};

const collect = async (config: Config, fix: Fix, environment: Environment): Promise<Check[]> => {
  const { wireProviders } = await import('#server/app/providers');
  const { createRegistry } = await import('#server/app/registry');
  const { checkService } = await import('./doctor-service.ts');
  const { networks, providers } = wireProviders({ registry: createRegistry(), config });
  const entered = new Set<string>();
  const isEntered = ({ settings }: Network) =>
    entered.has(settings[0] ?? '') && settings.every((name) => config.setting(name) === undefined);
  const isLive = (network: Network) => providers.isLive(network) || isEntered(network);
  return [
    ...checkProcess(config),
    ...(await attempt('keys', () => checkKeyFile(config, fix))),
    ...(await checkDatabase(config, networks.all, isLive, entered, fix, environment)),
    ...(await attempt('ffmpeg', async () => [await checkFfmpeg(config)])),
    ...(await attempt('mail', async () => [await checkMail(config)])),
    checkAssistant(config),
    ...(await checkNetworks(config, networks.all, isLive)),
    await checkService(config),
  ];
};

/** Without a usable database, the checks that do not need one still run. */
const checkDatabase = async (
  config: Config,
  networks: readonly Network[],
  isLive: (network: Network) => boolean,
  /** Filled with the networks whose credentials were entered in the app. `isLive` reads this set. */
  entered: Set<string>,
  fix: Fix,
  { internet = {}, freeBytes }: Environment,
): Promise<Check[]> => {
  const { connectCore } = await import('#server/app/open-core');
  const { checkInstallation, checkSettings } = await import('#server/installation/check-installation');
  const { checkDiskSpace } = await import('#server/health/disk-space');
  const checksWithoutDatabase = async () => [
    ...checkSettings({ config, networks }),
    ...(await attempt('media', () => checkMedia(config, undefined, undefined))),
    ...(await attempt('disk space', async () => [await checkDiskSpace(config.dataDir, freeBytes)])),
  ];
  const missing = await findDatabase(config);
  if (missing) return [missing, ...(await checksWithoutDatabase())];
  const service = await connectCore(config).catch((error: Error) => error);
  if (service instanceof Error) return [unusable(config, service), ...(await checksWithoutDatabase())];
  const { core, close } = service;
  const { database, registry } = core;
  try {
    const tables = await attempt('database', () => checkTables(config, core, fix));
    const keys = await attempt('keys', () => checkKeys(config, core));
    if (!isMigrated(tables)) return [...tables, ...keys, ...(await checksWithoutDatabase())];
    for (const id of await core.enteredKeys()) entered.add(id);
    return [
      ...tables,
      ...keys,
      ...(await attempt('media', () => checkMedia(config, core, fix))),
      ...(await attempt('people', () => checkPeople(core))),
      ...(await checkInstallation({
        database,
        audit: core.audit.audit,
        due: registry.due(),
        checks: registry.checks(),
        config,
        networks,
        isLive,
        isHeld: core.isHeld,
        newestBackup: core.newestBackup,
        ...(freeBytes && { freeBytes }),
      })),
      ...(await attempt('clock', () => checkNetworkClock(config, core, networks, internet))),
    ];
  } finally {
    await close();
  }
};

const unusable = ({ databaseUrl }: Config, error: Error) => {
  const advice = databaseUrl ? ' Check that PostgreSQL runs, and that DATABASE_URL leads to it.' : '';
  return checksNamed('database').failure(`${error.message.replace(/\.?$/, '.')}${advice}`);
};

/** A check that throws becomes a failure, and the others still run. */
const attempt = (name: string, run: () => Promise<Check[]>): Promise<Check[]> =>
  run().catch((error: unknown) => [checksNamed(name).failure(`${messageOf(error).replace(/\.?$/, '.')}`)]);

const levels: readonly CheckLevel[] = ['ok', 'note', 'warning', 'failure'];
const labels: Readonly<Record<CheckLevel, string>> = { ok: 'ok', note: 'note', warning: 'WARNING', failure: 'FAILURE' };

const formatCheck = ({ level, message }: Check) => `${labels[level].padEnd(8)} ${message}`;

const isHealthy = (checks: readonly Check[]) => checks.every(({ level }) => level !== 'failure');

const summarize = (checks: readonly Check[]) => {
  const parts = (['failure', 'warning'] as const).flatMap((level) => {
    const count = checks.filter((check) => check.level === level).length;
    return count === 0 ? [] : [`${count} ${level}${count === 1 ? '' : 's'}`];
  });
  return parts.length === 0 ? 'All is well.' : `${parts.join(', ')}.`;
};
