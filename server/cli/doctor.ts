import type { Posthorn } from '#server/app';
import { systemClock } from '#server/clock';
import { type Config, SettingError } from '#server/config';
import type { Examined } from '#server/networks/examine';
import type { Network } from '#server/networks/network';
import { endOfNode } from '#server/node-version';
import type { OutboundOptions } from '#server/outbound/guarded-client';
import type { Command } from './command.ts';
import {
  type Findings,
  lookAtKeys,
  lookAtMedia,
  lookAtNetworks,
  lookAtPeople,
  lookAtSeals,
  lookAtServices,
  lookAtTables,
} from './doctor-looks.ts';

export const doctor: Command = async (config, { network, fix, json }) => {
  const { text, ...told } =
    network === undefined
      ? await diagnose(config, { fix: fix !== undefined })
      : await diagnoseNetworks(config, network);
  console.log(json === undefined ? text : JSON.stringify(told, null, 2));
  process.exitCode = told.healthy ? 0 : 1;
};

/** `network` is a key, or `all`. */
export const diagnoseNetworks = async (config: Config, network: string, internet: OutboundOptions = {}) => {
  const { open } = await import('#server/open');
  const { createLog } = await import('#server/log');
  const { examineNetwork } = await import('#server/networks/examine');
  const log = createLog({ ...config, logLevel: 'silent', logFile: undefined });
  const { posthorn, close } = await open(config, log, undefined, internet);
  try {
    const { all } = posthorn.networks;
    const asked = network === 'all' ? all : all.filter(({ key }) => key === network);
    if (asked.length === 0) {
      throw new SettingError(
        `There is no network ${network}. There are: all, ${all.map(({ key }) => key).join(', ')}.`,
      );
    }
    const networks = await Promise.all(asked.map((one) => examineNetwork(one, partsOf(config, posthorn, one))));
    const missing = networks.flatMap(({ findings }) => findings).filter(({ is }) => is === 'missing');
    const text = [...networks.flatMap(sectionOf), closing(missing)].join('\n');
    return { text, healthy: missing.length === 0, networks };
  } finally {
    await close();
  }
};

const partsOf = ({ production, baseUrl, setting }: Config, { sites, providers }: Posthorn, network: Network) => ({
  site: sites.live(network),
  isLive: providers.isLive(network),
  production,
  baseUrl,
  setting,
});

const sectionOf = ({ name, network, findings }: Examined) => [`${name} (${network})`, ...findings.map(lineOf), ''];

const words = { ok: 'ok', note: 'note', fixed: 'FIXED', missing: 'MISSING' };

const lineOf = ({ is, text }: { is: keyof typeof words; text: string }) => `${words[is].padEnd(8)} ${text}`;

const closing = ({ length }: readonly unknown[]) =>
  length === 0 ? 'All is well.' : `${length} thing${length === 1 ? '' : 's'} to do.`;

/** What is set, what answers and what is missing, in words. Changes nothing unless it is asked to mend. */
export const diagnose = async (config: Config, { fix = false }: { fix?: boolean } = {}) => {
  const findings: Findings = { good: [], note: [], fixed: [], bad: [] };
  const { good, note, fixed, bad } = findings;

  good.push(`Node ${process.version}, ${config.production ? 'production' : 'development'}`);
  const oldNode = endOfNode(process.version, systemClock.now());
  if (oldNode) note.push(oldNode);
  good.push(`Data folder ${config.dataDir}`);
  good.push(`Address ${config.baseUrl}`);
  if (config.production && !config.baseUrl.startsWith('https:')) {
    bad.push(
      'BASE_URL is not https: browsers and networks will refuse sign-in. Put a TLS proxy in front and set BASE_URL.',
    );
  }

  try {
    const { openSeal } = await import('#server/secrets/keys');
    const seal = await openSeal(config);
    const { assembleOperator } = await import('#server/operator');
    const operator = await assembleOperator(config);
    try {
      await lookAtKeys(config, findings, fix);
      const isMigrated = await lookAtTables(config, operator, findings, fix);
      await lookAtMedia(config, operator, findings, fix && isMigrated);
      await lookAtServices(config, findings);
      if (isMigrated) await lookAtSeals(operator, seal, findings);
      if (isMigrated) await lookAtPeople(operator, findings);
      await lookAtNetworks(config, findings);
    } finally {
      await operator.close();
    }
  } catch (error) {
    bad.push((error as Error).message);
  }

  const { lookAtService } = await import('./doctor-service.ts');
  await lookAtService(config, findings);

  const all = [
    ...good.map((text) => ({ is: 'ok', text }) as const),
    ...note.map((text) => ({ is: 'note', text }) as const),
    ...fixed.map((text) => ({ is: 'fixed', text }) as const),
    ...bad.map((text) => ({ is: 'missing', text }) as const),
  ];
  const text = [...all.map(lineOf), '', closing(bad)].join('\n');
  return { text, healthy: bad.length === 0, findings: all };
};
