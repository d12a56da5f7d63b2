import { type Config, packageVersion } from '#server/config/config';
import { type Check, type CheckLevel, checksNamed } from '#server/health/check';
import type { MeasureFreeBytes } from '#server/installation/disk-space';
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
    ...own.map(lineOf),
    '',
  ]);
  return { text: [...sections, closing(checks)].join('\n'), healthy: isHealthy(checks), networks };
};

interface Outside {
  readonly internet?: OutboundOptions;
  readonly freeBytes?: MeasureFreeBytes;
}

/** What is set, what answers and what is wrong. Changes nothing unless it is asked to mend. */
export const diagnose = async (config: Config, { fix = false, ...outside }: { fix?: boolean } & Outside = {}) => {
  const fixed: string[] = [];
  const checks = await collect(config, fix ? (what) => fixed.push(what) : undefined, outside);
  const lines = levels.flatMap((level) => [
    ...(level === 'warning' ? fixed.map((what) => `FIXED    ${what}`) : []),
    ...checks.filter((check) => check.level === level).map(lineOf),
  ]);
  return { text: [...lines, '', closing(checks)].join('\n'), healthy: isHealthy(checks), checks, fixed };
};

const collect = async (config: Config, fix: Fix, outside: Outside): Promise<Check[]> => {
  const { wireProviders } = await import('#server/app/providers');
  const { createRegistry } = await import('#server/app/registry');
  const { checkService } = await import('./doctor-service.ts');
  const { networks, providers } = wireProviders({ registry: createRegistry(), config });
  const { isLive } = providers;
  return [
    ...checkProcess(config),
    ...(await attempt('keys', () => checkKeyFile(config, fix))),
    ...(await checkDatabase(config, networks.all, isLive, fix, outside)),
    ...(await attempt('ffmpeg', async () => [await checkFfmpeg(config)])),
    ...(await attempt('mail', async () => [await checkMail(config)])),
    checkAssistant(config),
    ...(await checkNetworks(config, networks.all, isLive)),
    await checkService(config),
  ];
};

/** What can be said of the installation without its database is said all the same. */
const checkDatabase = async (
  config: Config,
  networks: readonly Network[],
  isLive: (network: Network) => boolean,
  fix: Fix,
  { internet = {}, freeBytes }: Outside,
): Promise<Check[]> => {
  const { connectCore } = await import('#server/app/open-core');
  const { checkInstallation, checkSettings } = await import('#server/installation/check-installation');
  const { checkDiskSpace } = await import('#server/installation/disk-space');
  const without = async () => [
    ...checkSettings({ config, networks }),
    ...(await attempt('media', () => checkMedia(config, undefined, undefined))),
    ...(await attempt('disk space', async () => [await checkDiskSpace(config.dataDir, freeBytes)])),
  ];
  const missing = await findDatabase(config);
  if (missing) return [missing, ...(await without())];
  const service = await connectCore(config).catch((error: Error) => error);
  if (service instanceof Error) return [unusable(config, service), ...(await without())];
  const { core, close } = service;
  const { database, registry } = core;
  try {
    const tables = await attempt('database', () => checkTables(config, core, fix));
    const keys = await attempt('keys', () => checkKeys(config, core));
    if (!isMigrated(tables)) return [...tables, ...keys, ...(await without())];
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

/** A check that breaks is a failure of its own, and no reason to leave out the others. */
const attempt = (name: string, run: () => Promise<Check[]>): Promise<Check[]> =>
  run().catch((error: unknown) => [checksNamed(name).failure(`${messageOf(error).replace(/\.?$/, '.')}`)]);

const levels: readonly CheckLevel[] = ['ok', 'note', 'warning', 'failure'];
const labels: Readonly<Record<CheckLevel, string>> = { ok: 'ok', note: 'note', warning: 'WARNING', failure: 'FAILURE' };

const lineOf = ({ level, message }: Check) => `${labels[level].padEnd(8)} ${message}`;

const isHealthy = (checks: readonly Check[]) => checks.every(({ level }) => level !== 'failure');

const closing = (checks: readonly Check[]) => {
  const count = (wanted: CheckLevel) => checks.filter(({ level }) => level === wanted).length;
  const parts = (['failure', 'warning'] as const).flatMap((level) => {
    const found = count(level);
    return found === 0 ? [] : [`${found} ${level}${found === 1 ? '' : 's'}`];
  });
  return parts.length === 0 ? 'All is well.' : `${parts.join(', ')}.`;
};
