import { type Database, sql } from '#server/base/store/database';

const scratchPrefix = 'posthorn_verify_';
const unusedScratch = sql(
  'backup.unusedScratch',
  `select datname as name from pg_database d where left(datname, length($1)) = $1
      and not exists (select from pg_stat_activity a where a.datname = d.datname)`,
);

/** Databases for tests of a backup. */
export const createScratchStore = (db: Database) => ({
  prefix: scratchPrefix,
  create: (name: string) => db.script(`create database ${name}`),
  drop: (name: string) => db.script(`drop database if exists ${name}`),
  /**
   * A killed process leaves its database behind. One that another process has just created has no session yet either: if
   * it is dropped here, that test fails once.
   */
  dropUnused: async () => {
    for (const { name } of await db.query(unusedScratch, [scratchPrefix])) {
      await db.script(`drop database if exists ${name}`).catch(() => undefined);
    }
  },
});
