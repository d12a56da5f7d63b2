import { chmodSync, statSync } from 'node:fs';
import type { Config } from '#server/config';
import { versionOf } from '#server/networks/examine';
import type { Opened } from '#server/open';

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

export const lookAtMedia = async (
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

export const lookAtServices = async (
  config: Config,
  { posthorn: { mailer } }: Opened,
  { good, note, bad }: Findings,
) => {
  await mailer?.check().then(
    () => good.push('The mail server of SMTP_URL answers and lets Posthorn in'),
    (error: Error) => bad.push(`No mail can be sent, check SMTP_URL: ${error.message}`),
  );
  if (!mailer) note.push('No mail is sent: set SMTP_URL and MAIL_FROM for forgotten passwords and more');
  const { model } = config.assistant;
  if (model) good.push(`The assistant uses ${model.model} at ${new URL(model.baseUrl).host}`);
  else note.push('The assistant uses its embedded model: for a language model set LLM_BASE_URL and LLM_MODEL');
};

export const lookAtSeals = async ({ posthorn: { resealing } }: Opened, { good, note, bad }: Findings) => {
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

export const lookAtPeople = async ({ posthorn: { people, sandboxClock } }: Opened, { good, bad }: Findings) => {
  const workspaces = await people.workspaces();
  if (workspaces.length > 0) good.push(`Workspaces: ${workspaces.map(({ id, name }) => `${name} (${id})`).join(', ')}`);
  else bad.push('Nobody is set up yet: run `posthorn setup --email … --password … --workspace …`.');
  if ((await sandboxClock.offsetMs()) < 0) {
    bad.push(
      'The clock stands in the past: a demo is being made, or was interrupted. `posthorn demo --again` sets it right.',
    );
  }
};

export const lookAtNetworks = (
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
