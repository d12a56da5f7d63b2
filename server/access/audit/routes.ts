import type { AuditRoutes } from '#contracts/audit';
import type { RouteHandlers } from '#server/base/context';
import type { AuditLog } from './audit-log.ts';

export const auditRoutes = ({ audit }: { audit: AuditLog }): RouteHandlers<AuditRoutes> => ({
  listAudit: async ({ caller }) => ({ entries: await audit.newest(caller.workspaceId) }),
});
