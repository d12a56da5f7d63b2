/**
 * The statements of the service, copied from its source; measure.mjs checks that the compiled service contains each.
 * The result columns are left out: the service lets the database build the JSON of a post, while the others read
 * columns, as servers usually do.
 */
export const sources = {
  token: `select t.id as token_id, t.name, t.user_id, t.workspace_id, m.role, w.statistics_tools, \${lacksFactor} as lacks_factor
     from personal_tokens t join members m on m.workspace_id = t.workspace_id and m.user_id = t.user_id
     join workspaces w on w.id = t.workspace_id
    where t.hash = $1 and t.revoked_at is null`,
  accounts:
    'select id, network, facts from accounts where workspace_id = $1 and id = any($2) and disconnected_at is null',
  get: 'from posts p where id = $1 and workspace_id = $2',
  list: `from posts p where workspace_id between :workspaceId and :workspaceId and id < :before
      order by workspace_id desc, id desc limit :limit`,
  create: `insert into posts as p (id, workspace_id, status, account_ids, versions, scheduled_at, created_by, created_client)
   values (:id, :workspaceId, 'Draft', :accountIds, :versions, :scheduledAt, :userId, :client)
   returning`,
  news: `pg_notify('\${channel}', json_build_object(
     'eventId', gen_random_uuid(), 'workspaceId', \${workspaceId}, 'kind', '\${kind}', 'id', \${id})::text)`,
};

const fill = (source, values) => source.replaceAll(/\$\{(\w+)\}/g, (_, name) => values[name]);

/** The others pass values by position. */
const numbered = (source, ...names) => source.replaceAll(/:(\w+)/g, (_, name) => `$${names.indexOf(name) + 1}`);

const columns = 'id, status, account_ids, versions, scheduled_at, results, updated_at';
const lacksFactor = `(w.two_factors and not (exists (select from totp_factors where user_id = m.user_id and confirmed_at is not null)
    or exists (select from passkeys where user_id = m.user_id))
    and not exists (select from users where id = m.user_id and subject is not null))`;
const place = { channel: 'posthorn_live', workspaceId: 'workspace_id', kind: 'post', id: 'id' };

export const statements = {
  token: fill(sources.token, { lacksFactor }),
  accounts: sources.accounts,
  get: `select ${columns} ${sources.get}`,
  list: `select ${columns} ${numbered(sources.list, 'workspaceId', 'limit', 'before')}`,
  create: `${numbered(sources.create, 'id', 'workspaceId', 'accountIds', 'versions', 'scheduledAt', 'userId', 'client')} ${columns}, ${fill(sources.news, place)}`,
};
