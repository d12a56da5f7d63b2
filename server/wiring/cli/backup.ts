import { stat } from 'node:fs/promises';
import { systemClock } from '#server/base/clock';
import { type Config, SettingError } from '#server/base/config/config';
import { countOf } from '#server/base/health/check';
import { type Command, createProgress } from './command.ts';

export const backup: Command = async (config, options, [place]) => {
  if (place === undefined) throw new SettingError('Name a file or folder: posthorn backup <file or folder>');
  const progress = createProgress();
  if (options.verify !== undefined && (await isFile(place))) return verify(config, place, progress);
  const { makeBackup } = await import('#server/operation/backup/backup');
  const withKeys = options['with-keys'] !== undefined;
  const result = await makeBackup(config, place, { withKeys, clock: systemClock, progress: throttle(progress.say) });
  progress.end();
  if (options.verify === undefined) console.log(JSON.stringify(summarize(result), null, 2));
  else await verify(config, result.path, progress);
  const { lost, mediaPlace } = result;
  if (lost.length > 0) {
    console.error(
      `${countOf(lost.length, 'file')} missing in ${mediaPlace} and so in the backup, such as ${lost[0]}. An older backup may have them as media/<name>.`,
    );
  }
  if (result.leftOut.length > 0) console.error(`Left out, as they are not Posthorn's: ${result.leftOut.join(', ')}`);
  if (!result.isRecorded) {
    console.error(
      'The backup is complete, but it could not be recorded in the database: `posthorn doctor` does not count it.',
    );
  }
  console.error(
    withKeys
      ? 'The backup holds the keys. Whoever has it can read everything: keep it as you keep a password.'
      : `The backup does not hold the keys. Keep ${config.encryptionKeys ? 'ENCRYPTION_KEYS' : 'secrets.json of the data folder'} in another safe place: without them no account, webhook or sign-in key can be used again.`,
  );
};

const isFile = async (place: string) => (await stat(place).catch(() => undefined))?.isFile() ?? false;

const verify = async (config: Config, path: string, progress: ReturnType<typeof createProgress>) => {
  const { verifyBackup } = await import('#server/operation/backup/verify');
  const manifest = await verifyBackup(config, path, throttle(progress.say));
  progress.end();
  console.log(JSON.stringify({ ...summarize({ path, ...manifest }), verified: true }, null, 2));
};

export const restore: Command = async (config, _options, [place]) => {
  if (place === undefined) throw new SettingError('Name the backup: posthorn restore <file>');
  const { restoreBackup } = await import('#server/operation/backup/restore');
  const progress = createProgress();
  const restored = await restoreBackup(config, place, throttle(progress.say));
  progress.end();
  console.log(JSON.stringify(summarize(restored), null, 2));
  console.error(
    `Restored as of ${restored.createdAt}. Start Posthorn now: nothing goes out, no posts, webhooks or mails, until you release it in the app under Settings, Backups. What was due since then is listed there, and is not sent.`,
  );
};

const summarize = ({
  path,
  posthorn,
  createdAt,
  migration,
  tables,
  media,
}: {
  path: string;
  posthorn: string;
  createdAt: string;
  migration: { number: number };
  tables: readonly { rows: number }[];
  media: { files: number; bytes: number; missing: readonly string[] };
}) => ({
  file: path,
  posthorn,
  createdAt,
  migration: migration.number,
  tables: tables.length,
  rows: tables.reduce((all, { rows }) => all + rows, 0),
  files: media.files,
  mediaBytes: media.bytes,
  missing: media.missing.length,
});

const throttleMs = 250;

/** Printing a line for each of many small files would take longer than copying them. */
const throttle = (say: (text: string) => void) => {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (text: string) => {
    if (performance.now() - lastMs < throttleMs) return;
    lastMs = performance.now();
    say(text);
  };
};
