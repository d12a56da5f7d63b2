import { z } from 'zod';
import { appRoute, type Route } from './define.ts';
import { admins } from './scopes.ts';

export const AuditEntry = z
  .object({
    id: z.string(),
    event: z.string().describe('What happened, such as `approval.approved` or `token.created`'),
    userId: z.string().optional().describe('Who did it'),
    client: z.string().optional().describe('The MCP client it came from'),
    details: z.record(z.string(), z.unknown()),
    createdAt: z.string().describe('ISO-8601 instant'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof AuditEntry>;

export const auditRoutes = {
  listAudit: appRoute({
    method: 'GET',
    path: '/api/app/audit',
    tag: 'Audit',
    summary: 'Read the audit log',
    description: 'The last 200 entries of the open workspace, newest first.',
    roles: admins,
    answer: z.object({ entries: z.array(AuditEntry) }),
  }),
} as const satisfies Record<string, Route>;
export type AuditRoutes = typeof auditRoutes;
