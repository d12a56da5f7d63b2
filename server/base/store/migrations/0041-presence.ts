export const sql = `
-- Who has a post open now. Unlogged: after a crash the open tabs report again.
create unlogged table post_presence (
  workspace_id text not null references workspaces on delete cascade,
  post_id text not null,
  user_id text not null references users on delete cascade,
  tab text not null,
  seen_at timestamptz not null,
  primary key (workspace_id, post_id, user_id, tab)
) with (fillfactor = 50);
create index post_presence_old on post_presence (seen_at);
`;
