import { chmodSync, statSync } from 'node:fs';
import { systemClock } from '#server/clock';
import type { Config } from '#server/config';
import type { Operator } from '#server/operator';
import type { Seal } from '#server/secrets/seal';

export interface Findings {
  readonly good: string[];
  readonly note: string[];
  readonly fixed: string[];
  readonly bad: string[];
}

const byFix = 'or run `posthorn doctor --fix`';

export const lookAtKeys = async (config: Config, { fixed, bad }: Findings, fix: boolean) => {
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
export const lookAtTables = async (
  config: Config,
  { database }: Operator,
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

export const lookAtMedia = async (
  config: Config,
  operator: Operator,
  { good, note, fixed, bad }: Findings,
  fix: boolean,
) => {
  const { openMediaFiles } = await import('#server/media/open-files');
  const files = openMediaFiles(config);
  try {
    await files.check();
    good.push(`Media is kept in ${files.place}`);
    const removed = fix ? await removeOrphans(config, operator) : 0;
    if (removed > 0) fixed.push(`Files removed that belong to no media item: ${removed}`);
  } catch (error) {
    bad.push(`The store for media cannot be used: ${(error as Error).message}`);
  }
  if (config.production && !config.media.s3) {
    note.push('Media is on this machine: `posthorn backup` takes it with the database; or set the S3_* settings');
  }
};

const removeOrphans = async (config: Config, { database, sandboxClock }: Operator) => {
  const { openSweep } = await import('#server/media/open-sweep');
  await sandboxClock.read();
  return openSweep(database, config, sandboxClock)();
};

export const lookAtServices = async (config: Config, { good, note, bad }: Findings) => {
  const { createMailer } = await import('#server/messages/mail');
  const mailer = config.mail && createMailer(config.mail, config.baseUrl);
  await mailer?.check().then(
    () => good.push('The mail server of SMTP_URL answers and lets Posthorn in'),
    (error: Error) => bad.push(`No mail can be sent, check SMTP_URL: ${error.message}`),
  );
  if (!mailer) note.push('No mail is sent: set SMTP_URL and MAIL_FROM for forgotten passwords and more');
  const { model } = config.assistant;
  if (model) good.push(`The assistant uses ${model.model} at ${new URL(model.baseUrl).host}`);
  else note.push('The assistant uses its embedded model: for a language model set LLM_BASE_URL and LLM_MODEL');
};

export const lookAtSeals = async ({ database }: Operator, seal: Seal, { good, note, bad }: Findings) => {
  const { sealedColumns } = await import('#server/for-operators');
  const { createResealing } = await import('#server/secrets/resealing');
  const parts = { columns: sealedColumns(database), seal, report: console.error };
  const [newest, ...others] = await createResealing(parts).state();
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

export const lookAtPeople = async ({ people, sandboxClock }: Operator, { good, bad }: Findings) => {
  const workspaces = await people.workspaces();
  if (workspaces.length > 0) good.push(`Workspaces: ${workspaces.map(({ id, name }) => `${name} (${id})`).join(', ')}`);
  else bad.push('Nobody is set up yet: run `posthorn setup --email … --password … --workspace …`.');
  if ((await sandboxClock.offsetMs()) < 0) {
    bad.push(
      'The clock stands in the past: a demo is being made, or was interrupted. `posthorn demo --again` sets it right.',
    );
  }
};

export const lookAtNetworks = async (config: Config, { good, note, bad }: Findings) => {
  const { networks: folders } = await import('#server/network-folders');
  const { versionOf } = await import('#server/networks/examine');
  const { createNetworks } = await import('#server/networks/registry');
  const { openProviders } = await import('#server/providers/slice');
  const networks = createNetworks(folders);
  const live = networks.all.filter(openProviders({ networks, config }).providers.isLive);
  const setting = (name: string, byDefault: string) => config.setting(name) ?? byDefault;
  for (const network of live) {
    const { is, text } = versionOf(network, { setting, now: systemClock.now });
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
