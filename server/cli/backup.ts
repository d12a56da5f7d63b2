import { systemClock } from '#server/clock';
import { SettingError } from '#server/config/config';
import { type Command, createProgress } from './command.ts';

export const backup: Command = async (config, options, [place]) => {
  if (place === undefined) throw new SettingError('Say where: posthorn backup <file or folder>');
  const { makeBackup } = await import('#server/backup/backup');
  const progress = createProgress();
  const withKeys = options['with-keys'] !== undefined;
  const made = await makeBackup(config, place, { withKeys, clock: systemClock, progress: seldom(progress.say) });
  progress.end();
  console.log(JSON.stringify(inShort(made), null, 2));
  const { missing } = made.media;
  if (missing.length > 0) console.error(`${missing.length} files were deleted while they were copied: ${missing[0]} …`);
  if (made.leftOut.length > 0) console.error(`Left out, as they are not Posthorn's: ${made.leftOut.join(', ')}`);
  if (!made.isRecorded) {
    console.error('The backup is complete, but this database could not note it: `posthorn doctor` does not count it.');
  }
  console.error(
    withKeys
      ? 'The backup holds the keys. Whoever has it can read everything: keep it as you keep a password.'
      : `The backup does not hold the keys. Keep ${config.encryptionKeys ? 'ENCRYPTION_KEYS' : 'secrets.json of the data folder'} in another safe place: without them no account, webhook or sign-in key can be used again.`,
  );
};

export const restore: Command = async (config, _options, [place]) => {
  if (place === undefined) throw new SettingError('Say what: posthorn restore <file>');
  const { restoreBackup } = await import('#server/backup/restore');
  const progress = createProgress();
  const restored = await restoreBackup(config, place, seldom(progress.say));
  progress.end();
  console.log(JSON.stringify(inShort(restored), null, 2));
  console.error(
    `Restored as of ${restored.createdAt}. Posts that were due since then go out at the next start unless they are later than LATE_GRACE: if the old service may have published them, start the first time with LATE_GRACE=1s, and decide in the app.`,
  );
};

const inShort = ({
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

const everyMs = 250;

/** A line for each of many files would cost more than the files. */
const seldom = (say: (text: string) => void) => {
  let last = Number.NEGATIVE_INFINITY;
  return (text: string) => {
    if (performance.now() - last < everyMs) return;
    last = performance.now();
    say(text);
  };
};
