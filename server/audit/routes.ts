import type { AppRoutes } from '#contracts/app';
import type { RouteHandlers } from '#server/context';
import type { AuditLog } from './audit-log.ts';

export const auditRoutes = ({ audit }: { audit: AuditLog }): RouteHandlers<Pick<AppRoutes, 'listAudit'>> => ({
  listAudit: async ({ caller }) => ({ entries: await audit.newest(caller.workspaceId) }),
});
