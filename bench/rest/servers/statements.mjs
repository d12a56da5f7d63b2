// The statements of the service, word for word: measure.mjs looks them up in the compiled service before it begins.
export const columns = 'id, status, account_ids, versions, scheduled_at, results, updated_at';

export const statements = {
  token: `select t.id as token_id, t.user_id, t.workspace_id, m.role, w.statistics_tools
     from personal_tokens t join members m on m.workspace_id = t.workspace_id and m.user_id = t.user_id
     join workspaces w on w.id = t.workspace_id
    where t.hash = $1 and t.revoked_at is null`,
  accounts:
    'select id, network, facts from accounts where workspace_id = $1 and id = any($2) and disconnected_at is null',
  get: `select ${columns} from posts where id = $1 and workspace_id = $2`,
  list: `select ${columns} from posts where workspace_id between $1 and $1 and id < $3
    order by workspace_id, id desc limit $2`,
  create: `insert into posts (id, workspace_id, status, account_ids, versions, scheduled_at, created_by)
   values ($1, $2, 'Draft', $3, $4, $5, $6) returning ${columns}`,
};
