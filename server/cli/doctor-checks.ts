import { chmodSync, statSync } from 'node:fs';
import type { Core } from '#server/app/core';
import { type Config, databaseFolder, packageVersion } from '#server/config/config';
import { answerWithin } from '#server/health/answer-within';
import { type Check, checksNamed, countOf } from '#server/health/check';
import type { Network } from '#server/networks/network';
import type { OutboundOptions } from '#server/outbound/guarded-client';
import { toDatabaseError } from '#server/store/database-error';
import { restoreIndexes } from '#server/store/schema-checks';

const orFix = 'or run `posthorn doctor --fix`';

/** Records a repair. Absent without --fix, when nothing may be changed. */
export type Fix = ((what: string) => void) | undefined;

export const checkProcess = (config: Config): Check[] => {
  const { ok, failure } = checksNamed('process');
  const place = `Node ${process.version}, ${config.production ? 'production' : 'development'}`;
  return [
    ok(`Posthorn ${packageVersion}, ${place}`),
    ok(`Data folder ${config.dataDir}`),
    ok(`Address ${config.baseUrl}`),
    ...(config.production && !config.baseUrl.startsWith('https:')
      ? [
          failure(
            'BASE_URL is not https: browsers and networks will refuse sign-in. Put a proxy that terminates TLS in front and set BASE_URL.',
          ),
        ]
      : []),
  ];
};

/** The doctor starts an existing embedded PostgreSQL, but never creates one. */
export const findDatabase = async (config: Config): Promise<Check | undefined> => {
  const { hasCluster } = await import('#server/store/embedded');
  const folder = databaseFolder(config);
  if (config.databaseUrl !== undefined || hasCluster(folder)) return undefined;
  return checksNamed('database').failure(
    `There is no database in ${folder}. \`posthorn start\` makes one; if Posthorn runs with other settings, give them to this command too (POSTHORN_DATA or DATABASE_URL).`,
  );
};

export const checkKeyFile = async (config: Config, fix: Fix): Promise<Check[]> => {
  if (config.encryptionKeys || process.platform === 'win32') return [];
  const { secretsFile } = await import('#server/secrets/keys');
  const file = secretsFile(config);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & 0o077) === 0) return [];
  if (fix) {
    chmodSync(file, 0o600);
    fix(`Only the user of the service can read ${file} now`);
    return [];
  }
  return [checksNamed('keys').failure(`Others on this machine can read the keys in ${file}: chmod 600 it, ${orFix}.`)];
};

/** Without a line when all is well: `checkTables` says that the database answers. */
export const checkWritable = async (config: Config, { database }: Core): Promise<Check[]> => {
  await database.tryWrite().catch(toDatabaseError(config));
  return [];
};

/** Whether all migrations of this release are applied. */
export const checkTables = async (config: Config, { database }: Core, fix: Fix): Promise<Check[]> => {
  const { migrate, pendingIn, postponedIn, describePostponed, describePending, isNeeded, listNames } = await import(
    '#server/store/migrate'
  );
  const { migrations } = await import('#server/store/migrations/index');
  const { ok, warning, failure } = checksNamed(migrationCheck);
  const place = config.databaseUrl ? 'DATABASE_URL' : 'embedded PostgreSQL';
  if (fix) {
    const applied = await migrate(database, migrations);
    if (applied.length > 0) fix(`Migrations applied: ${listNames(applied)}`);
    await restoreIndexes(database, (name) => fix(`Index made: ${name}`));
  }
  const pending = await pendingIn(database, migrations);
  if (pending.length === 0) return [ok(`Database answers (${place}), schema is up to date`)];
  const answers = ok(`Database answers (${place})`);
  if (pending.some(isNeeded)) return [answers, failure(describePending(pending, migrations))];
  const postponed = await postponedIn(database, migrations);
  return [answers, warning(postponed ? `${describePostponed(postponed)}.` : describePending(pending, migrations))];
};

export const migrationCheck = 'migrations';

/** False too when a check that another one explains gave no line. */
export const isMigrated = (checks: readonly Check[]) => {
  const ours = checks.filter(({ name }) => name === migrationCheck);
  return ours.length > 0 && ours.every(({ level }) => level !== 'failure');
};

export const checkMedia = async (config: Config, fix: Fix): Promise<Check[]> => {
  const { mustStoreMedia, openMediaFiles } = await import('#server/media/open-files');
  const { ok, note } = checksNamed('media');
  const files = openMediaFiles(config);
  await mustStoreMedia(files, { changesNothing: fix === undefined });
  return [
    ok(`Media is kept in ${files.place}`),
    ...(config.production && !config.media.s3
      ? [note('Media is on this machine: `posthorn backup` takes it with the database; or set the S3_* settings')]
      : []),
  ];
};

export const removeOrphans = async (
  { database, config, clock, wallClock, sandboxClock }: Core,
  fix: (what: string) => void,
): Promise<Check[]> => {
  const { openMediaSweep } = await import('#server/media/open-sweep');
  await sandboxClock.read();
  const removed = await openMediaSweep({ database, config, clock, wallClock }).sweepOrphans();
  if (removed > 0) fix(`Files removed that belong to no media item: ${removed}`);
  return [];
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
  const { createMailer } = await import('#server/messages/mail');
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
export const checkKeys = async (config: Config, { registry, audit: { audit } }: Core): Promise<Check[]> => {
  const { findSecrets, fingerprints } = await import('#server/secrets/keys');
  const { describeLostSecrets, findLostSecrets } = await import('#server/secrets/lost-secrets');
  const { createResealing } = await import('#server/secrets/resealing');
  const { createSeal } = await import('#server/secrets/seal');
  const { findLastBackup } = await import('#server/backup/last-backup');
  const { ok, note, warning, failure } = checksNamed('keys');
  const secrets = await findSecrets(config);
  const seal = secrets && createSeal(secrets.encryptionKeys);
  const columns = registry.sealed();
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

export const checkPeople = async ({ people: { people }, sandboxClock }: Core): Promise<Check[]> => {
  const { ok, failure } = checksNamed('people');
  const workspaces = await people.workspaces();
  const isInPast = (await sandboxClock.offsetMs()) < 0;
  return [
    workspaces.length > 0
      ? ok(`Workspaces: ${workspaces.map(({ id, name }) => `${name} (${id})`).join(', ')}`)
      : failure('Nobody is set up yet: run `posthorn setup --email … --password … --workspace …`.'),
    ...(isInPast
      ? [
          failure(
            'The clock is in the past, because a demo is being created or was interrupted. `posthorn demo --again` resets it.',
          ),
        ]
      : []),
  ];
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

/**
 * Compares our clock with the networks that have an account: the first that answers counts. Sends nothing if no account is
 * connected.
 */
export const checkNetworkClock = async (
  config: Config,
  { accountInspection }: Core,
  networks: readonly Network[],
  internet: OutboundOptions,
): Promise<Check[]> => {
  const used = await accountInspection.liveNetworks();
  if (used.length === 0) return [];
  const { measureNetworkSkewMs } = await import('#server/networks/network-skew');
  const { checkClock } = await import('#server/store/clock-skew');
  const { openSites } = await import('./doctor-networks.ts');
  const { sites, close } = await openSites(config, internet);
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
