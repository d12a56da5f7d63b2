import { chmodSync, statSync } from 'node:fs';
import type { Posthorn } from '#server/app';
import { systemClock } from '#server/clock';
import { type Config, SettingError } from '#server/config';
import type { Opened } from '#server/main';
import { type Examined, examineNetwork, versionOf } from '#server/networks/examine';
import type { Network } from '#server/networks/network';
import { endOfNode } from '#server/node-version';
import type { OutboundOptions } from '#server/outbound/guarded-client';
import type { Command } from './command.ts';

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
  const { createLog, open } = await import('#server/main');
  const { posthorn, close } = await open(
    config,
    createLog({ ...config, logLevel: 'silent', logFile: undefined }),
    undefined,
    internet,
  );
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

interface Findings {
  readonly good: string[];
  readonly note: string[];
  readonly fixed: string[];
  readonly bad: string[];
}

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
    const { assemble, createLog } = await import('#server/main');
    const opened = await assemble(config, createLog({ ...config, logLevel: 'silent', logFile: undefined }));
    try {
      await lookAtKeys(config, findings, fix);
      const isMigrated = await lookAtTables(config, opened, findings, fix);
      await lookAtMedia(config, opened, findings, fix && isMigrated);
      await lookAtServices(config, opened, findings);
      if (isMigrated) await lookAtSeals(opened, findings);
      if (isMigrated) await lookAtPeople(opened, findings);
      lookAtNetworks(config, opened, findings);
    } finally {
      await opened.close();
    }
  } catch (error) {
    bad.push((error as Error).message);
  }

  const answer = await fetch(`${config.baseUrl}/readyz`, { signal: AbortSignal.timeout(3000) }).catch(() => undefined);
  if (answer?.ok) good.push(`The service answers at ${config.baseUrl}/readyz`);
  else if (answer) bad.push(`The service at ${config.baseUrl} is not ready: ${await answer.text()}`);
  else note.push(`No service answers at ${config.baseUrl}; \`npm start\` runs it`);

  const all = [
    ...good.map((text) => ({ is: 'ok', text }) as const),
    ...note.map((text) => ({ is: 'note', text }) as const),
    ...fixed.map((text) => ({ is: 'fixed', text }) as const),
    ...bad.map((text) => ({ is: 'missing', text }) as const),
  ];
  const text = [...all.map(lineOf), '', closing(bad)].join('\n');
  return { text, healthy: bad.length === 0, findings: all };
};

const byFix = 'or run `posthorn doctor --fix`';

const lookAtKeys = async (config: Config, { fixed, bad }: Findings, fix: boolean) => {
  if (config.encryptionKeys || process.platform === 'win32') return;
  const { secretsFile } = await import('#server/secrets/keys');
  const file = secretsFile(config);
  const { mode } = statSync(file);
  if ((mode & 0o077) === 0) return;
  if (fix) {
    chmodSync(file, 0o600);
    fixed.push(`Only the user of the service can read ${file} now`);
  } else bad.push(`Others on this machine can read the keys in ${file}: chmod 600 it, ${byFix}.`);
};

/** Says whether the tables are those of this release. */
const lookAtTables = async (
  config: Config,
  { database }: Opened,
  { good, note, fixed, bad }: Findings,
  fix: boolean,
) => {
  const { migrate, pendingIn, postponedIn, postponedInWords } = await import('#server/store/migrate');
  const { migrations } = await import('#server/store/migrations/index');
  const place = config.databaseUrl ? 'DATABASE_URL' : 'embedded PostgreSQL';
  const pending = await pendingIn(database, migrations);
  if (pending.length === 0) {
    good.push(`Database answers (${place}), schema is up to date`);
    return true;
  }
  good.push(`Database answers (${place})`);
  const postponed = await postponedIn(database, migrations);
  if (postponed) {
    note.push(
      `${postponedInWords(postponed)}. A running service of this release applies it within a minute after that`,
    );
    return true;
  }
  const names = pending.map(({ number, name }) => `${number} ${name}`).join(', ');
  if (fix) {
    const applied = await migrate(database, migrations);
    fixed.push(`Migrations applied: ${applied.map(({ number, name }) => `${number} ${name}`).join(', ')}`);
    const left = await postponedIn(database, migrations);
    if (left) note.push(postponedInWords(left));
    return true;
  }
  bad.push(
    pending.length === migrations.length
      ? `The database has no tables of Posthorn yet: \`npm start\` makes them, ${byFix}.`
      : `Migrations pending: ${names}. Take a backup; a start of this release applies them, ${byFix}.`,
  );
  return false;
};

const lookAtMedia = async (
  config: Config,
  { posthorn: { mediaFiles, sweepOrphans } }: Opened,
  { good, note, fixed, bad }: Findings,
  fix: boolean,
) => {
  try {
    await mediaFiles.check();
    good.push(`Media is kept in ${mediaFiles.place}`);
    const removed = fix ? await sweepOrphans() : 0;
    if (removed > 0) fixed.push(`${removed} files removed that belong to no media item`);
  } catch (error) {
    bad.push(`The store for media cannot be used: ${(error as Error).message}`);
  }
  if (config.production && !config.media.s3) {
    note.push('Media is on this machine: `posthorn backup` takes it with the database; or set the S3_* settings');
  }
};

const lookAtServices = async (config: Config, { posthorn: { mailer } }: Opened, { good, note, bad }: Findings) => {
  await mailer?.check().then(
    () => good.push('The mail server of SMTP_URL answers and lets Posthorn in'),
    (error: Error) => bad.push(`No mail can be sent, check SMTP_URL: ${error.message}`),
  );
  if (!mailer) note.push('No mail is sent: set SMTP_URL and MAIL_FROM for forgotten passwords and more');
  const { model } = config.assistant;
  if (model) good.push(`The assistant uses ${model.model} at ${new URL(model.baseUrl).host}`);
  else note.push('The assistant uses its embedded model: for a language model set LLM_BASE_URL and LLM_MODEL');
};

const lookAtSeals = async ({ posthorn: { resealing } }: Opened, { good, note, bad }: Findings) => {
  const [newest, ...others] = await resealing.state();
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
};

const counted = (count: number, thing: string) => `${count} ${thing}${count === 1 ? ' is' : 's are'}`;

const lookAtPeople = async ({ posthorn: { people, sandboxClock } }: Opened, { good, bad }: Findings) => {
  const workspaces = await people.workspaces();
  if (workspaces.length > 0) good.push(`Workspaces: ${workspaces.map(({ id, name }) => `${name} (${id})`).join(', ')}`);
  else bad.push('Nobody is set up yet: run `posthorn setup --email … --password … --workspace …`.');
  if ((await sandboxClock.offsetMs()) < 0) {
    bad.push(
      'The clock stands in the past: a demo is being made, or was interrupted. `posthorn demo --again` sets it right.',
    );
  }
};

const lookAtNetworks = (
  config: Config,
  { posthorn: { networks, providers, sites } }: Opened,
  { good, note, bad }: Findings,
) => {
  const live = networks.all.filter(providers.isLive);
  for (const network of live) {
    const { is, text } = versionOf(network, sites.live(network));
    if (is === 'note') note.push(text);
    if (is === 'missing') bad.push(text);
  }
  const rest = networks.all.filter((network) => !live.includes(network));
  const named = (some: typeof live) => some.map(({ name }) => name).join(', ');
  const needNone = live.filter(({ settings }) => settings.length === 0);
  const given = live.filter(({ settings }) => settings.length > 0);
  if (given.length > 0) good.push(`Networks with credentials: ${named(given)}`);
  if (needNone.length > 0) good.push(`Networks that need no credentials: ${named(needNone)}`);
  for (const { name, settings } of rest) {
    note.push(
      `${name} ${config.production ? 'is left out' : 'is a sandbox'}${settings.length > 0 ? `: for the real network set ${settings.join(', ')}` : ''}`,
    );
  }
};
