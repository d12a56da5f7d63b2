import type { Clock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Database } from '#server/base/store/database';
import { createAuditLog } from './audit-log.ts';
import { auditRoutes } from './routes.ts';
import { createAuditStore } from './store.ts';

export const openAudit = ({
  database,
  config: { auditRetentionMs: retentionMs },
  clock,
}: {
  database: Database;
  config: Config;
  clock: Clock;
}) => {
  const audit = createAuditLog({ store: createAuditStore(database), retentionMs, clock });
  return {
    audit,
    routes: auditRoutes({ audit }),
    chores: { 'remove old entries of the audit log': { every: '1 day', run: audit.purge } },
  };
};
