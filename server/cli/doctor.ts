import type { Posthorn } from '#server/app';
import { systemClock } from '#server/clock';
import { type Config, SettingError } from '#server/config';
import { type Examined, examineNetwork, type Finding, versionOf } from '#server/networks/examine';
import type { Network } from '#server/networks/network';
import { endOfNode } from '#server/node-version';
import type { OutboundOptions } from '#server/outbound/guarded-client';
import type { Command } from './command.ts';

export const doctor: Command = async (config, { network, json }) => {
  const { text, ...told } = network === undefined ? await diagnose(config) : await diagnoseNetworks(config, network);
  console.log(json === undefined ? text : JSON.stringify(told, null, 2));
  process.exitCode = told.healthy ? 0 : 1;
};

/** `network` is a key, or `all`. */
export const diagnoseNetworks = async (config: Config, network: string, internet: OutboundOptions = {}) => {
  const { createLog, open } = await import('#server/main');
  const { posthorn, close } = await open(config, createLog({ ...config, logLevel: 'silent' }), undefined, internet);
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

const lineOf = ({ is, text }: Finding) => `${{ ok: 'ok', note: 'note', missing: 'MISSING' }[is].padEnd(8)} ${text}`;

const closing = ({ length }: readonly Finding[]) =>
  length === 0 ? 'All is well.' : `${length} thing${length === 1 ? '' : 's'} to do.`;

/** What is set, what answers and what is missing, in words. */
export const diagnose = async (config: Config) => {
  const good: string[] = [];
  const bad: string[] = [];
  const note: string[] = [];

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
    const { createLog, open } = await import('#server/main');
    const { posthorn, close } = await open(config, createLog({ ...config, logLevel: 'silent' }));
    try {
      good.push(
        `Database answers (${config.databaseUrl ? 'DATABASE_URL' : 'embedded PostgreSQL'}), schema is up to date`,
      );
      await posthorn.mediaFiles.check().then(
        () => good.push(`Media is kept in ${posthorn.mediaFiles.place}`),
        (error: Error) => bad.push(`The store for media cannot be used: ${error.message}`),
      );
      if (config.production && !config.media.s3) {
        note.push(
          'Media is on this machine: back that folder up with the database, or set S3_ENDPOINT and the other S3_* settings',
        );
      }
      await posthorn.mailer?.check().then(
        () => good.push('The mail server of SMTP_URL answers and lets Posthorn in'),
        (error: Error) => bad.push(`No mail can be sent, check SMTP_URL: ${error.message}`),
      );
      if (!posthorn.mailer) note.push('No mail is sent: set SMTP_URL and MAIL_FROM for forgotten passwords and more');
      const sealed = await posthorn.resealing.state();
      const [newest, ...others] = sealed;
      for (const { key, count, isKnown } of others) {
        if (!isKnown) {
          bad.push(
            `${counted(count, 'stored secret')} sealed with the key "${key}", which is not in ENCRYPTION_KEYS: put it back, behind the newest.`,
          );
        } else if (count > 0) {
          note.push(
            `${counted(count, 'stored secret')} still sealed with the key "${key}": the running service seals them anew within the hour; keep the key until then`,
          );
        } else good.push(`Nothing needs the key "${key}" any more: remove it from ENCRYPTION_KEYS`);
      }
      if (newest && others.every(({ count }) => count === 0)) {
        good.push(`All stored secrets are sealed with the newest key, "${newest.key}"`);
      }
      const { model } = config.assistant;
      if (model) good.push(`The assistant uses ${model.model} at ${new URL(model.baseUrl).host}`);
      else note.push('The assistant uses its embedded model: for a language model set LLM_BASE_URL and LLM_MODEL');
      const workspaces = await posthorn.people.workspaces();
      if (workspaces.length > 0)
        good.push(`Workspaces: ${workspaces.map(({ id, name }) => `${name} (${id})`).join(', ')}`);
      else bad.push('Nobody is set up yet: run `posthorn setup --email … --password … --workspace …`.');
      const live = posthorn.networks.all.filter(posthorn.providers.isLive);
      for (const network of live) {
        const { is, text } = versionOf(network, posthorn.sites.live(network));
        if (is === 'note') note.push(text);
        if (is === 'missing') bad.push(text);
      }
      const rest = posthorn.networks.all.filter((network) => !live.includes(network));
      const named = (networks: typeof live) => networks.map(({ name }) => name).join(', ');
      const needNone = live.filter(({ settings }) => settings.length === 0);
      const given = live.filter(({ settings }) => settings.length > 0);
      if (given.length > 0) good.push(`Networks with credentials: ${named(given)}`);
      if (needNone.length > 0) good.push(`Networks that need no credentials: ${named(needNone)}`);
      for (const { name, settings } of rest) {
        note.push(
          `${name} ${config.production ? 'is left out' : 'is a sandbox'}${settings.length > 0 ? `: for the real network set ${settings.join(', ')}` : ''}`,
        );
      }
    } finally {
      await close();
    }
  } catch (error) {
    bad.push((error as Error).message);
  }

  const answer = await fetch(`${config.baseUrl}/readyz`, { signal: AbortSignal.timeout(3000) }).catch(() => undefined);
  if (answer?.ok) good.push(`The service answers at ${config.baseUrl}/readyz`);
  else if (answer) bad.push(`The service at ${config.baseUrl} is not ready: ${await answer.text()}`);
  else note.push(`No service answers at ${config.baseUrl}; \`npm start\` runs it`);

  const findings: Finding[] = [
    ...good.map((text) => ({ is: 'ok', text }) as const),
    ...note.map((text) => ({ is: 'note', text }) as const),
    ...bad.map((text) => ({ is: 'missing', text }) as const),
  ];
  const missing = findings.filter(({ is }) => is === 'missing');
  const text = [...findings.map(lineOf), '', closing(missing)].join('\n');
  return { text, healthy: missing.length === 0, findings };
};

const counted = (count: number, thing: string) => `${count} ${thing}${count === 1 ? ' is' : 's are'}`;
