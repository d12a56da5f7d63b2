import { type Config, packageVersion } from '#server/base/config/config';
import { answerMs, answerWithin } from '#server/base/health/answer-within';
import { type Check, type CheckLevel, checksNamed } from '#server/base/health/check';
import type { MeasureFreeBytes } from '#server/base/health/disk-space';
import type { OutboundOptions } from '#server/base/outbound/guarded-client';
import { quantity } from '#server/base/quantity';
import type { Network } from '#server/networks/network';
import { checkAssistant, checkNetworks } from '#server/operation/installation/part-checks';
import { runChecks } from '#server/operation/installation/run-checks';
import type { Command } from './command.ts';
import { checkProcess, findDatabase } from './doctor-checks.ts';
import { type Fix, repairDatabase, repairKeyFile } from './doctor-repairs.ts';
import { checkService } from './doctor-service.ts';

type Print = (line: string) => void;

export const doctor: Command = async (config, { network, fix, json }) => {
  const print = json === undefined ? console.log : () => undefined;
  const { text: _, ...report } =
    network === undefined
      ? await diagnose(config, { fix: fix !== undefined, print })
      : await diagnoseNetworks(config, network, {}, print);
  if (json !== undefined) console.log(JSON.stringify({ version: packageVersion, ...report }, null, 2));
  process.exitCode = report.healthy ? 0 : 1;
  // A connection to something that never answers would keep the process running.
  setTimeout(() => process.exit(), exitMs).unref();
};

const exitMs = 500;

/** `network` is a key, or `all`. */
export const diagnoseNetworks = async (
  config: Config,
  network: string,
  internet: OutboundOptions = {},
  print: Print = () => undefined,
) => {
  const { examineNetworks } = await import('./doctor-networks.ts');
  const page = createPage(print);
  const networks = await examineNetworks(config, network, internet, ({ name, network: key, checks }) => {
    page.add(`${name} (${key})`, ...checks.map(formatCheck), '');
  });
  const checks = networks.flatMap((one) => one.checks);
  page.add(summarize(checks));
  return { text: page.text(), healthy: isHealthy(checks), networks };
};

/** Tests replace these. */
interface Environment {
  readonly internet?: OutboundOptions;
  readonly freeBytes?: MeasureFreeBytes;
}

/** Reports settings, reachable services and problems, each as soon as it is known. Changes nothing without `fix`. */
export const diagnose = async (
  config: Config,
  { fix = false, print = () => undefined, ...environment }: { fix?: boolean; print?: Print } & Environment = {},
) => {
  const fixed: string[] = [];
  const page = createPage(print);
  const onFix = (what: string) => {
    fixed.push(what);
    page.add(`FIXED    ${what}`);
  };
  const onEnd = (checks: readonly Check[]) => page.add(...checks.map(formatCheck));
  const checks = await collect(config, fix ? onFix : undefined, environment, onEnd);
  page.add('', summarize(checks));
  return { text: page.text(), healthy: isHealthy(checks), checks, fixed };
};

const createPage = (print: Print) => {
  const lines: string[] = [];
  return {
    add: (...more: readonly string[]) => {
      lines.push(...more);
      more.forEach((line) => {
        print(line);
      });
    },
    text: () => lines.join('\n'),
  };
};

type OnEnd = (checks: readonly Check[]) => void;

const collect = async (
  config: Config,
  fix: Fix | undefined,
  environment: Environment,
  onEnd: OnEnd,
): Promise<Check[]> => {
  const { wireProviders } = await import('#server/wiring/providers');
  const { createRegistry } = await import('#server/base/registry');
  const { localRules } = await import('#server/operation/installation/check-installation');
  const { networks, providers } = wireProviders({ registry: createRegistry(), config });
  const first = await runChecks([{ name: 'process', run: async () => checkProcess(config) }], { onEnd });
  if (fix) first.push(...(await repair('key file', () => repairKeyFile(config, fix), onEnd)));
  const others = await Promise.all([
    checkConnected({ config, networks: networks.all, isLive: providers.isLive, fix, onEnd, ...environment }),
    runChecks(
      [
        ...localRules({ config, networks: networks.all, ...environment }),
        { name: 'assistant', run: async () => [checkAssistant(config)] },
        { name: 'service', run: async () => [await checkService(config)] },
      ],
      { onEnd },
    ),
  ]);
  return [...first, ...others.flat()];
};

const checkConnected = async ({
  config,
  networks,
  isLive: isLiveBySettings,
  fix,
  onEnd,
  internet = {},
}: {
  config: Config;
  networks: readonly Network[];
  isLive: (network: Network) => boolean;
  fix: Fix | undefined;
  onEnd: OnEnd;
} & Environment): Promise<Check[]> => {
  const { connectCore } = await import('#server/wiring/open-core');
  const { installationParts } = await import('#server/wiring/installation-parts');
  const { checkDatabase } = await import('#server/operation/installation/check-installation');
  const entered = new Set<string>();
  const isLive = (network: Network) =>
    isLiveBySettings(network) ||
    (entered.has(network.settings[0] ?? '') && network.settings.every((name) => config.setting(name) === undefined));
  const networksRule = { name: 'networks', run: () => checkNetworks(config, networks, isLive) };
  const without = async (problem: Check) => {
    onEnd([problem]);
    return [problem, ...(await runChecks([networksRule], { onEnd }))];
  };
  const missing = await findDatabase(config);
  if (missing) return without(missing);
  const service = await connectCore(config, { connectMs: answerMs }).catch((error: Error) => error);
  if (service instanceof Error) return without(checksNamed('database').failure(service.message.replace(/\.?$/, '.')));
  const { core, close } = service;
  try {
    const repairs = fix ? await repair('database', () => repairDatabase(core, fix), onEnd) : [];
    for (const id of await answerWithin(core.enteredKeys).catch(() => [])) entered.add(id);
    const openSites = async () => (await import('./doctor-networks.ts')).openSites(config, internet);
    const parts = { ...installationParts(core), config, networks, isLive, openSites };
    const checks = await Promise.all([checkDatabase(parts, { onEnd }), runChecks([networksRule], { onEnd })]);
    return [...repairs, ...checks.flat()];
  } finally {
    await close();
  }
};

/** A repair takes as long as it takes. */
const repair = (name: string, work: () => Promise<void>, onEnd: OnEnd) =>
  runChecks([{ name, run: () => work().then(() => []) }], { onEnd, ms: repairMs });

const repairMs = 24 * 3_600_000;

const labels: Readonly<Record<CheckLevel, string>> = { ok: 'ok', note: 'note', warning: 'WARNING', failure: 'FAILURE' };

const formatCheck = ({ level, message }: Check) => `${labels[level].padEnd(8)} ${message}`;

const isHealthy = (checks: readonly Check[]) => checks.every(({ level }) => level !== 'failure');

const summarize = (checks: readonly Check[]) => {
  const parts = (['failure', 'warning'] as const).flatMap((level) => {
    const ofLevel = checks.filter((check) => check.level === level);
    const names = [...new Set(ofLevel.map(({ name }) => name))].join(', ');
    return ofLevel.length === 0 ? [] : [`${quantity(ofLevel.length, level)}: ${names}.`];
  });
  return parts.length === 0 ? 'All is well.' : parts.join(' ');
};
