import { chmodSync } from 'node:fs';
import type { Config } from '#server/base/config/config';
import { checkKeyFile } from '#server/operation/installation/part-checks';
import type { Core } from '#server/wiring/core';

/** Records a repair. */
export type Fix = (what: string) => void;

export const repairKeyFile = async (config: Config, fix: Fix) => {
  if ((await checkKeyFile(config)).length === 0) return;
  const { secretsFile } = await import('#server/base/secrets/keys');
  const file = secretsFile(config);
  chmodSync(file, 0o600);
  fix(`Only the user of the service can read ${file} now`);
};

export const repairDatabase = async ({ database, config, clock, wallClock, sandboxClock }: Core, fix: Fix) => {
  const { migrate, listNames } = await import('#server/base/store/migrate');
  const { migrations } = await import('#server/base/store/migrations/index');
  const { restoreIndexes } = await import('#server/base/store/schema-checks');
  const { openMediaSweep } = await import('#server/media/open-sweep');
  const applied = await migrate(database, migrations);
  if (applied.length > 0) fix(`Migrations applied: ${listNames(applied)}`);
  await restoreIndexes(database, (name) => fix(`Index made: ${name}`));
  await sandboxClock.read();
  const removed = await openMediaSweep({ database, config, clock, wallClock }).sweepOrphans();
  if (removed > 0) fix(`Files removed that belong to no media item: ${removed}`);
};
