export const sql = `
-- What networks call the values of options that people search for: places, communities, collections.
create table choice_names (
  workspace_id text not null references workspaces (id) on delete cascade,
  sandbox boolean not null,
  -- Of the account, where everybody can run one; elsewhere empty.
  server text not null,
  option text not null,
  value text not null,
  label text not null,
  seen_at timestamptz not null default posthorn_now(),
  primary key (workspace_id, sandbox, server, option, value)
);
`;
