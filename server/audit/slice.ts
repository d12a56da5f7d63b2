import type { Clock } from '#server/clock';
import type { Database } from '#server/store/database';
import { createAuditLog } from './audit-log.ts';
import { auditRoutes } from './routes.ts';
import { createAuditStore } from './store.ts';

export const openAudit = ({ database, clock }: { database: Database; clock: Clock }) => {
  const audit = createAuditLog({ store: createAuditStore(database), clock });
  return { audit, routes: auditRoutes({ audit }) };
};
