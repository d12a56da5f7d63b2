import { z } from 'zod';
import { appRoute, CanonicalInstant, type Route } from './define.ts';
import { admins } from './scopes.ts';

export const AuditEntry = z
  .object({
    id: z.string().describe('Entry id, prefix `aud_`'),
    event: z.string().describe('What happened, such as `approval.approved` or `token.created`'),
    userId: z.string().optional().describe('Who did it'),
    client: z.string().optional().describe('The MCP client it came from'),
    details: z
      .record(z.string(), z.unknown())
      .describe('What it was about, by event: ids, names, the input of a request. Never a secret; long values are cut'),
    createdAt: CanonicalInstant,
  })
  .meta({ id: 'AuditEntry', description: 'One thing that somebody did' });
export type AuditEntry = z.output<typeof AuditEntry>;

export const auditRoutes = {
  listAudit: appRoute({
    method: 'GET',
    path: '/api/app/audit',
    tag: 'Audit',
    summary: 'Read the audit log',
    description: 'The last 200 entries of the open workspace, newest first.',
    roles: admins,
    answer: z.object({ entries: z.array(AuditEntry).describe('The newest first') }),
  }),
} as const satisfies Record<string, Route>;
export type AuditRoutes = typeof auditRoutes;
