import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '#server/base/config/config';
import { answerWithin } from '#server/base/health/answer-within';
import type { Database } from '#server/base/store/database';
import {
  beforeNextMigration,
  describePending,
  describePostponed,
  isNeeded,
  migrate,
  pendingIn,
  postponedIn,
} from '#server/base/store/migrate';
import { migrations } from '#server/base/store/migrations/index';
import type { SandboxClock } from '#server/simulation/sandbox/clock';

/** How long to wait for the migration lock before reporting who holds it. */
export const lockWaitMs = 2_000;
/** How often a postponed migration is tried again. */
const postponedRetryMs = 20_000;

export interface StartupLog {
  info(about: object, what: string): void;
  warn(about: object, what: string): void;
}

/** First step of the service and of every command: migrates the database, and reads the sandbox clock from it. */
export const prepare = async (
  database: Database,
  sandboxClock: Pick<SandboxClock, 'read' | 'close'>,
  config: Config,
  log: StartupLog,
) => {
  const { production, startTimeoutMs } = config;
  await dumpFirst(database, config, log);
  const postponed = await applyMigrations(database, log, Math.min(lockWaitMs, startTimeoutMs));
  if (postponed) log.warn({ number: postponed.migration.number }, describePostponed(postponed));
  if (production) {
    const aheadMs = await sandboxClock.close();
    if (aheadMs > 0) log.warn({ aheadMs }, 'the sandbox clock was ahead; production goes by the true time');
  }
  await answerWithin(() => sandboxClock.read());
};

/** A migration cannot be undone, so a database that is not empty is dumped first. */
const dumpFirst = (database: Database, config: Config, log: StartupLog) =>
  beforeNextMigration(database, migrations, async ({ number }) => {
    if (number === 1) return;
    const { dumpBeforeMigration } = await import('#server/operation/backup/dump-before-migration');
    const path = await dumpBeforeMigration(config, number);
    if (path !== undefined) log.info({ path }, 'database dumped before migrations');
  });

/** Returns a migration that has to wait until processes of an earlier release have ended. */
export const applyMigrations = async (database: Database, log: Pick<StartupLog, 'info'>, waitMs = lockWaitMs) => {
  if ((await pendingIn(database, migrations)).length === 0) return undefined;
  const applied = await migrate(database, migrations, { waitMs });
  // One line: a first start applies all of them.
  if (applied.length > 0) {
    log.info({ first: applied[0]?.number, last: applied.at(-1)?.number, count: applied.length }, 'migrations applied');
  }
  return postponedIn(database, migrations);
};

/** Why this release cannot work with the database; undefined if it can. */
export const findSchemaProblem = async (database: Database) => {
  const pending = await pendingIn(database, migrations);
  return pending.some(isNeeded) ? describePending(pending, migrations) : undefined;
};

/**
 * Retries every 20 seconds until no migration is postponed, because the last process of the previous release may end at any
 * time. Returns a function that stops the retries.
 */
export const applyPostponed = async (
  database: Database,
  log: Pick<StartupLog, 'info'>,
  report: (error: unknown) => void,
  pause: (ms: number, value: undefined, options: { signal: AbortSignal }) => Promise<void> = sleep,
) => {
  const stop = new AbortController();
  const { signal } = stop;
  const retry = async () => {
    for (let isPostponed = true; isPostponed; ) {
      await pause(postponedRetryMs, undefined, { signal });
      try {
        isPostponed = (await applyMigrations(database, log)) !== undefined;
      } catch (error) {
        if (!signal.aborted) report(error);
      }
    }
  };
  if (await postponedIn(database, migrations)) retry().catch((error: unknown) => signal.aborted || report(error));
  return () => stop.abort();
};
