import { dueChannel } from '#server/base/jobs/due-work';
import { type Database, sql } from '#server/base/store/database';

/** Every running instance listens on this channel, so its sessions show that the service runs. */
const instances = sql(
  'demo.instances',
  `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and query ilike 'listen%${dueChannel}%'`,
);

export const createDemoStore = (db: Database) => ({
  isInUse: async () => ((await db.query(instances))[0]?.count ?? 0) > 0,
});
