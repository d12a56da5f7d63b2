import { type Database, sql } from '#server/base/store/database';
import { personName } from '#server/base/store/person-name';

export const reads = ['users'];

export interface AuditRow {
  readonly id: string;
  readonly event: string;
  readonly userId: string | null;
  readonly client: string | null;
  readonly details: Record<string, unknown>;
  readonly createdAt: string;
}

const insert = sql(
  'audit.insert',
  `insert into audit_log (id, workspace_id, user_id, event, client, details, request_id, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);
const insertForService = sql(
  'audit.insertForService',
  `insert into service_audit_log (id, user_id, event, client, details, request_id, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);
const newest = sql(
  'audit.newest',
  `select id, event, user_id, client, details, created_at from audit_log
    where workspace_id = $1 order by id desc limit $2`,
);
const newestForService = sql(
  'audit.newestForService',
  `select details, created_at as "createdAt" from service_audit_log where event = $1 order by id desc limit 1`,
);
const listForService = sql(
  'audit.listForService',
  `select a.id, a.event, a.user_id, a.client, a.details, a.created_at, ${personName('u')} as person
     from service_audit_log a left join users u on u.id = a.user_id order by a.id desc limit $1`,
);
const purge = sql('audit.purge', 'delete from audit_log where created_at < $1');
const purgeForService = sql('audit.purgeForService', 'delete from service_audit_log where created_at < $1');

export type AuditStore = ReturnType<typeof createAuditStore>;

export const createAuditStore = (db: Database) => ({
  insert: (
    id: string,
    workspaceId: string | undefined,
    row: readonly [
      userId: string | null,
      event: string,
      client: string | null,
      details: string,
      requestId: string | null,
      at: Date,
    ],
  ) => (workspaceId === undefined ? db.run(insertForService, [id, ...row]) : db.run(insert, [id, workspaceId, ...row])),
  purge: async (before: Date) => (await db.run(purge, [before])) + (await db.run(purgeForService, [before])),
  newestForService: async (event: string) =>
    (await db.query<{ details: Record<string, unknown>; createdAt: string }>(newestForService, [event]))[0],
  listForService: (limit: number) => db.query<AuditRow & { person: string | null }>(listForService, [limit]),
  newest: (workspaceId: string, limit: number) => db.queryReplica<AuditRow>(newest, [workspaceId, limit]),
});
