export const sql = `
-- What is foreseen about scheduled posts. Rows of posts that are no longer scheduled are removed at the next check.
create table forecasts (
  workspace_id text not null references workspaces on delete cascade,
  post_id text not null,
  -- A hash of what the entries about its content were computed from: while it is the same, they hold.
  content_key text not null,
  content jsonb not null default '[]',
  entries jsonb not null default '[]',
  primary key (workspace_id, post_id)
);
create table forecast_checks (
  workspace_id text primary key references workspaces on delete cascade,
  checked_at timestamptz not null,
  -- Causes that people were notified of, while they last.
  told text[] not null default '{}'
);
-- Why the network refused the account when its tokens were renewed or its profile was read; null while it does not.
alter table accounts add column refusal jsonb;
`;
