import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '#server/config/config';
import type { SandboxClock } from '#server/sandbox/clock';
import type { Database } from '#server/store/database';
import { migrate, pendingIn, postponedIn, describePostponed } from '#server/store/migrate';
import { migrations } from '#server/store/migrations/index';

/** For the lock of migrations, before the operator is told who holds it. */
export const lockWaitMs = 2_000;
/** Between two looks whether a migration that was postponed can be applied. */
const postponedMs = 20_000;

export interface Told {
  info(about: object, what: string): void;
  warn(about: object, what: string): void;
}

/** What the service and every command begin with: the tables of this release, and the time by the clock of the database. */
export const prepare = async (
  database: Database,
  sandboxClock: Pick<SandboxClock, 'read' | 'close'>,
  { production, startPatienceMs }: Pick<Config, 'production' | 'startPatienceMs'>,
  told: Told,
) => {
  const postponed = await applyMigrations(database, told, Math.min(lockWaitMs, startPatienceMs));
  if (postponed) told.info({ number: postponed.migration.number }, describePostponed(postponed));
  if (production) {
    const aheadMs = await sandboxClock.close();
    if (aheadMs > 0) told.warn({ aheadMs }, 'the sandbox clock was ahead; production goes by the true time');
  }
  await sandboxClock.read();
};

/** Answers with the one that waits until an earlier release has ended. */
export const applyMigrations = async (database: Database, told: Pick<Told, 'info'>, waitMs = lockWaitMs) => {
  if ((await pendingIn(database, migrations)).length === 0) return undefined;
  for (const { number, name } of await migrate(database, migrations, { waitMs })) {
    told.info({ number, name }, 'migration applied');
  }
  return postponedIn(database, migrations);
};

/**
 * Looks every 20 seconds until nothing is postponed: the last process of the release before may end at any time after this
 * start. Answers with what ends the looking.
 */
export const applyPostponed = async (
  database: Database,
  told: Pick<Told, 'info'>,
  report: (error: unknown) => void,
  pause: (ms: number, value: undefined, options: { signal: AbortSignal }) => Promise<void> = sleep,
) => {
  const stop = new AbortController();
  const { signal } = stop;
  const look = async () => {
    for (let isPostponed = true; isPostponed; ) {
      await pause(postponedMs, undefined, { signal });
      try {
        isPostponed = (await applyMigrations(database, told)) !== undefined;
      } catch (error) {
        if (!signal.aborted) report(error);
      }
    }
  };
  if (await postponedIn(database, migrations)) look().catch((error: unknown) => signal.aborted || report(error));
  return () => stop.abort();
};
