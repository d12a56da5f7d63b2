import type { Template, TemplateSummary } from '#contracts/templates';
import { type Database, type Statement, sql, type ValuesArgument } from '#server/base/store/database';

export const reads = ['workspaces'];

const columns = 'id, kind, name, items, options, updated_at';
type Contents = Pick<Template, 'kind' | 'options'>;

const lockWorkspace = sql('templates.lockWorkspace', 'select from workspaces where id = $1 for no key update', 'locks');
const count = sql('templates.count', 'select count(*)::int as count from templates where workspace_id = $1');
const list = sql(
  'templates.list',
  `select id, kind, name, coalesce(left(items[1], 200), '') as text, cardinality(items) as items,
          (select count(*)::int from jsonb_object_keys(options)) as options
     from templates where workspace_id = $1 order by kind desc, name, id`,
).holds<Pick<TemplateSummary, 'kind'>>();
const get = sql(
  'templates.get',
  `select ${columns} from templates where id = $1 and workspace_id = $2`,
).holds<Contents>();
const lock = sql(
  'templates.lock',
  `select ${columns} from templates where id = $1 and workspace_id = $2 for update`,
  'locks',
).holds<Contents>();
const insert = sql(
  'templates.insert',
  `insert into templates (id, workspace_id, kind, name, items, options) values (:id, :workspaceId, :kind, :name, :items, :options)
   returning ${columns}`,
).holds<Contents>();
const replace = sql(
  'templates.replace',
  `update templates set name = $3, items = $4, options = $5, updated_at = posthorn_now()
    where id = $1 and workspace_id = $2 returning ${columns}`,
).holds<Contents>();
const remove = sql('templates.remove', 'delete from templates where id = $1 and workspace_id = $2');

export type TemplateStore = ReturnType<typeof createTemplateStore>;

export const createTemplateStore = (db: Database) => {
  const one = async <Values>(statement: Statement<Values, Template>, ...values: ValuesArgument<Values>) =>
    (await db.query(statement, ...values))[0];
  return {
    transaction: db.transaction,
    /** Blocks other additions to the workspace until the transaction ends. */
    lockWorkspace: (workspaceId: string) => db.run(lockWorkspace, [workspaceId]),
    count: async (workspaceId: string) => (await db.query(count, [workspaceId]))[0]?.count ?? 0,
    list: (workspaceId: string) => db.query(list, [workspaceId]),
    get: (workspaceId: string, id: string) => one(get, [id, workspaceId]),
    lock: (workspaceId: string, id: string) => one(lock, [id, workspaceId]),
    insert: (workspaceId: string, template: Omit<Template, 'updatedAt'>) =>
      one(insert, { ...template, workspaceId, options: JSON.stringify(template.options) }),
    replace: (workspaceId: string, { id, name, items, options }: Template) =>
      one(replace, [id, workspaceId, name, items, JSON.stringify(options)]),
    remove: async (workspaceId: string, id: string) => (await db.run(remove, [id, workspaceId])) > 0,
  };
};
