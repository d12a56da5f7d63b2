import { statSync } from 'node:fs';
import type { AuditLog } from '#server/access/audit/audit-log';
import { type Config, SettingError } from '#server/base/config/config';
import { answerWithin } from '#server/base/health/answer-within';
import { type Check, checksNamed, countOf } from '#server/base/health/check';
import type { Database } from '#server/base/store/database';
import { toDatabaseError } from '#server/base/store/database-error';
import type { SealedColumn } from '#server/base/store/sealed-column';
import type { Network, Site } from '#server/networks/network';

const orFix = 'or run `posthorn doctor --fix`';

export const checkKeyFile = async (config: Config): Promise<Check[]> => {
  if (config.encryptionKeys || process.platform === 'win32') return [];
  const { secretsFile } = await import('#server/base/secrets/keys');
  const file = secretsFile(config);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & 0o077) === 0) return [];
  return [checksNamed('keys').failure(`Others on this machine can read the keys in ${file}: chmod 600 it, ${orFix}.`)];
};

/** Without a line when all is well: `checkTables` says that the database answers. */
export const checkWritable = async (config: Config, database: Database): Promise<Check[]> => {
  await database.tryWrite().catch(toDatabaseError(config));
  return [];
};

/** Whether all migrations of this release are applied. */
export const checkTables = async (config: Config, database: Database): Promise<Check[]> => {
  const { pendingIn, postponedIn, describePostponed, describePending, isNeeded } = await import(
    '#server/base/store/migrate'
  );
  const { migrations } = await import('#server/base/store/migrations/index');
  const { ok, warning, failure } = checksNamed(migrationCheck);
  const place = config.databaseUrl ? 'DATABASE_URL' : 'embedded PostgreSQL';
  const pending = await pendingIn(database, migrations);
  if (pending.length === 0) return [ok(`Database answers (${place}), schema is up to date`)];
  const answers = ok(`Database answers (${place})`);
  if (pending.some(isNeeded)) return [answers, failure(describePending(pending, migrations))];
  const postponed = await postponedIn(database, migrations);
  return [answers, warning(postponed ? `${describePostponed(postponed)}.` : describePending(pending, migrations))];
};

export const migrationCheck = 'migrations';

export const checkMedia = async (config: Config): Promise<Check[]> => {
  const { mustStoreMedia, openMediaFiles } = await import('#server/media/open-files');
  const { ok, note } = checksNamed('media');
  const files = openMediaFiles(config);
  await mustStoreMedia(files, { changesNothing: true });
  return [
    ok(`Media is kept in ${files.place}`),
    ...(config.production && !config.media.s3
      ? [note('Media is on this machine: `posthorn backup` takes it with the database; or set the S3_* settings')]
      : []),
  ];
};

/** Whether videos can be converted, and what it means when they cannot. */
export const checkFfmpeg = async ({ media }: Config): Promise<Check> => {
  const { createFfmpeg } = await import('#server/media/ffmpeg');
  const { ok, note, warning } = checksNamed('ffmpeg');
  const ffmpeg = createFfmpeg({ folder: media.ffmpegFolder });
  const version = await ffmpeg.version();
  if (version !== undefined) return ok(`ffmpeg ${version} converts videos for networks that would refuse them`);
  const cost = 'a video that a network refuses has to be converted before its upload';
  const problem = ffmpeg.problem();
  if (problem) {
    return warning(`${problem.replace(/\.?$/, '.')} Install ffmpeg again, or correct FFMPEG_PATH: until then ${cost}.`);
  }
  const place = media.ffmpegFolder === '' ? 'on this machine' : `in ${media.ffmpegFolder} (FFMPEG_PATH)`;
  return note(
    `There is no ffmpeg with H.264 ${place}: ${cost}. Install ffmpeg and ffprobe (apt-get install ffmpeg) to have Posthorn do it`,
  );
};

export const checkMail = async (config: Config): Promise<Check> => {
  const { ok, note, failure } = checksNamed('mail');
  if (config.mail === undefined) {
    return note('No mail is sent: set SMTP_URL and MAIL_FROM for forgotten passwords and more');
  }
  const { createMailer } = await import('#server/messaging/messages/mail');
  return createMailer(config.mail, config.baseUrl)
    .check()
    .then(
      () => ok('The mail server of SMTP_URL answers and lets Posthorn in'),
      (error: Error) => failure(`No mail can be sent, check SMTP_URL: ${error.message}`),
    );
};

export const checkAssistant = ({ assistant: { model } }: Config): Check => {
  const { ok, note } = checksNamed('assistant');
  if (model) return ok(`The assistant uses ${model.model} at ${new URL(model.baseUrl).host}`);
  return note('The assistant uses its embedded model: for a language model set LLM_BASE_URL and LLM_MODEL');
};

/** Opens every stored secret, and compares the keys with those of the last backup. */
export const checkKeys = async (
  config: Config,
  { sealed, audit }: { sealed: () => readonly SealedColumn[]; audit: Pick<AuditLog, 'newestForService'> },
): Promise<Check[]> => {
  const { findSecrets, fingerprints } = await import('#server/base/secrets/keys');
  const { describeLostSecrets, findLostSecrets } = await import('#server/base/secrets/lost-secrets');
  const { createResealing } = await import('#server/base/secrets/resealing');
  const { createSeal } = await import('#server/base/secrets/seal');
  const { findLastBackup } = await import('#server/operation/backup/last-backup');
  const { ok, note, warning, failure } = checksNamed('keys');
  const secrets = await findSecrets(config);
  const seal = secrets && createSeal(secrets.encryptionKeys);
  const columns = sealed();
  const lost = await findLostSecrets(columns, seal);
  const here = secrets ? fingerprints(secrets) : [];
  const inBackup = (await findLastBackup(audit).catch(() => undefined))?.keys ?? [];
  const missing = inBackup.filter(({ id, mark }) => !here.some((key) => key.id === id && key.mark === mark));
  const named = (keys: typeof here) => keys.map(({ id, mark }) => `"${id}" (fingerprint ${mark})`).join(', ');
  if (lost) {
    const present = here.length > 0 ? ` Here is ${named(here)}.` : ' No key is here at all.';
    const before = missing.length > 0 ? ` The last backup was made with ${named(missing)}.` : '';
    return [failure(`${describeLostSecrets(lost, config, seal?.keyIds ?? [])}${present}${before}`)];
  }
  if (seal === undefined) return [note('There is no encryption key yet: the first start makes one')];
  const replaced =
    missing.length > 0
      ? [
          warning(
            `The last backup was made with ${named(missing)}, which is not here: take a new one, or keep that key.`,
          ),
        ]
      : [];
  const [newest, ...others] = await createResealing({ columns, seal, report: console.error }).state();
  const old = others.map(({ key, count }) =>
    count > 0
      ? note(
          `${countOf(count, 'stored secret')} still sealed with the key "${key}": the running service seals them anew within the hour; keep the key until then`,
        )
      : ok(`Nothing needs the key "${key}" any more: remove it from ENCRYPTION_KEYS`),
  );
  const isNewestAlone = newest && others.every(({ count }) => count === 0);
  const all =
    newest?.count === 0 ? 'Nothing is encrypted yet' : `All stored secrets (${newest?.count}) can be decrypted`;
  return [...old, ...(isNewestAlone ? [ok(`${all}. The newest key is ${named(here.slice(0, 1))}`)] : []), ...replaced];
};

export const checkPeople = async (
  readWorkspaces: () => Promise<readonly { id: string; name: string }[]>,
): Promise<Check[]> => {
  const { ok, failure } = checksNamed('people');
  const workspaces = await readWorkspaces();
  return [
    workspaces.length > 0
      ? ok(`Workspaces: ${workspaces.map(({ id, name }) => `${name} (${id})`).join(', ')}`)
      : failure('Nobody is set up yet: run `posthorn setup --email … --password … --workspace …`.'),
  ];
};

/** Without a line when it is not in the past. */
export const checkDemoClock = async (offsetMs: () => Promise<number>): Promise<Check[]> => {
  if ((await offsetMs()) >= 0) return [];
  throw new SettingError(
    'The clock of this database is in the past, because a demo is being created or was interrupted. Wait until it has finished. If none is running, run npx posthorn demo --again, which creates a new one and resets the clock.',
  );
};

/** The networks in use, and the settings that the others need. */
export const checkNetworks = async (
  { production, setting }: Config,
  networks: readonly Network[],
  isLive: (network: Network) => boolean,
): Promise<Check[]> => {
  const { checkCredentials } = await import('#server/networks/settings-check');
  const { ok, note } = checksNamed('networks');
  const live = networks.filter(isLive);
  const named = (some: typeof live) => some.map(({ name }) => name).join(', ');
  const [open, registered] = [true, false].map((isOpen) =>
    live.filter(({ settings }) => (settings.length === 0) === isOpen),
  );
  const rest = networks.filter((network) => !isLive(network) && checkCredentials(network, setting) === undefined);
  return [
    ...(registered?.length ? [ok(`Networks with credentials: ${named(registered)}`)] : []),
    ...(open?.length ? [ok(`Networks that need no credentials: ${named(open)}`)] : []),
    ...rest.map(({ name, settings }) =>
      note(
        `${name} ${production ? 'is left out' : 'is a sandbox'}${settings.length > 0 ? `: for the real network set ${settings.join(', ')}` : ''}`,
      ),
    ),
  ];
};

/** Where networks are reached, until it is closed. */
export interface OpenSites {
  readonly sites: { live(network: Network): Site };
  close(): Promise<void>;
}

/**
 * Compares our clock with the networks that have an account: the first that answers counts. Sends nothing if no account is
 * connected.
 */
export const checkNetworkClock = async ({
  networks,
  liveNetworks,
  openSites,
}: {
  networks: readonly Network[];
  liveNetworks: () => Promise<readonly string[]>;
  openSites: () => Promise<OpenSites>;
}): Promise<Check[]> => {
  const used = await liveNetworks();
  if (used.length === 0) return [];
  const { measureNetworkSkewMs } = await import('#server/networks/network-skew');
  const { checkClock } = await import('#server/base/store/clock-skew');
  const { sites, close } = await openSites();
  try {
    const measured = await Promise.all(
      networks
        .filter(({ key }) => used.includes(key))
        .map(async (network) => ({
          name: network.name,
          skewMs: await answerWithin(() => measureNetworkSkewMs(network, sites.live(network))).catch(() => undefined),
        })),
    );
    for (const { name, skewMs } of measured) if (skewMs !== undefined) return [checkClock(skewMs, name)];
    return [
      checksNamed('clock').warning(
        `${measured.map(({ name }) => name).join(', ')} could not be reached from here. Check the internet connection and DNS of this machine: nothing can be published without.`,
      ),
    ];
  } finally {
    await close();
  }
};
