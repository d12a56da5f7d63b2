import { type Database, type RowOf, sql } from '#server/base/store/database';
import { personName } from '#server/base/store/person-name';

export const reads = ['users'];

const insert = sql(
  'audit.insert',
  `insert into audit_log (id, workspace_id, user_id, event, client, details, request_id, created_at)
   values (:id, :workspaceId, :userId, :event, :client, :details, :requestId, :at)`,
);
const insertForService = sql(
  'audit.insertForService',
  `insert into service_audit_log (id, user_id, event, client, details, request_id, created_at)
   values (:id, :userId, :event, :client, :details, :requestId, :at)`,
);
const newest = sql(
  'audit.newest',
  `select id, event, user_id, client, details, created_at from audit_log
    where workspace_id = $1 order by id desc limit $2`,
).holds<{ details: Record<string, unknown> }>();
const newestForService = sql(
  'audit.newestForService',
  `select details, created_at from service_audit_log where event = $1 order by id desc limit 1`,
).holds<{ details: Record<string, unknown> }>();
const listForService = sql(
  'audit.listForService',
  `select a.id, a.event, a.user_id, a.client, a.details, a.created_at, ${personName('u')} as person
     from service_audit_log a left join users u on u.id = a.user_id order by a.id desc limit $1`,
).holds<{ details: Record<string, unknown> }>();
const purge = sql('audit.purge', 'delete from audit_log where created_at < $1');
const purgeForService = sql('audit.purgeForService', 'delete from service_audit_log where created_at < $1');

export type AuditRow = RowOf<typeof newest>;

interface NewEntry {
  readonly id: string;
  readonly workspaceId: string | undefined;
  readonly userId: string | null;
  readonly event: string;
  readonly client: string | null;
  readonly details: string;
  readonly requestId: string | null;
  readonly at: Date;
}

export type AuditStore = ReturnType<typeof createAuditStore>;

export const createAuditStore = (db: Database) => ({
  insert: ({ workspaceId, ...entry }: NewEntry) =>
    workspaceId === undefined ? db.run(insertForService, entry) : db.run(insert, { ...entry, workspaceId }),
  purge: async (before: Date) => (await db.run(purge, [before])) + (await db.run(purgeForService, [before])),
  newestForService: async (event: string) => (await db.query(newestForService, [event]))[0],
  listForService: (limit: number) => db.query(listForService, [limit]),
  newest: (workspaceId: string, limit: number) => db.queryReplica(newest, [workspaceId, limit]),
});
