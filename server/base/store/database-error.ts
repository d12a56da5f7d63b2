import { type Config, SettingError } from '#server/base/config/config';
import { codesOf, isLocked, isReadOnly, isUnavailable, messageOf } from './pg-errors.ts';

/** What keeps the database from being used, then what to do: the same words from the start, from commands and doctor. */
export const describeDatabaseError = (error: unknown, { databaseUrl }: Pick<Config, 'databaseUrl'>) => {
  if (isReadOnly(error)) return readOnly;
  const codes = codesOf(error);
  const adviceOfCode = advices.find(([code]) => codes.some((one) => code.test(one)))?.[1];
  const isAway = databaseUrl !== undefined && isUnavailable(error) && !isLocked(error);
  const advice =
    adviceOfCode ?? (isAway ? 'Check that PostgreSQL runs, and that DATABASE_URL leads to it.' : undefined);
  const problem = `The database cannot be used: ${messageOf(error)}`;
  return advice === undefined ? problem : `${problem.replace(/\.?$/, '.')} ${advice}`;
};

/** Like `toSettingError`. */
export const toDatabaseError =
  (config: Pick<Config, 'databaseUrl'>) =>
  (cause: unknown): never => {
    if (cause instanceof SettingError) throw cause;
    throw new SettingError(describeDatabaseError(cause, config), { cause });
  };

const readOnly =
  'The database is read-only. If it is a standby, let DATABASE_URL lead to the leader; else switch default_transaction_read_only off where it is set: for the database, for the role or in postgresql.conf.';

const advices: readonly (readonly [RegExp, string])[] = [
  [/^(53100|58030)$/, 'Free space on the disk of PostgreSQL, or make it writable, then start again.'],
  [/^53300$/, 'End sessions that nobody needs, or raise max_connections or the limit of the database or role.'],
  [/^3D000$/, 'Correct the name of the database in DATABASE_URL, or create it.'],
  [/^28/, 'Correct the user and the password in DATABASE_URL.'],
];
