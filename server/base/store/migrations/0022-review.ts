export const sql = `
create table post_comments (
  id text primary key,
  post_id text not null references posts on delete cascade,
  workspace_id text not null references workspaces on delete cascade,
  user_id text not null references users on delete cascade,
  body text not null,
  -- [{id, name}]: the members whose @name is in the text.
  mentions jsonb not null default '[]',
  created_at timestamptz not null default posthorn_now(),
  edited_at timestamptz
);
create index post_comments_post on post_comments (post_id, id);

create table post_shares (
  id text primary key,
  post_id text not null references posts on delete cascade,
  workspace_id text not null references workspaces on delete cascade,
  -- The secret itself is in the address alone.
  secret_hash bytea not null unique,
  made_by text not null references users on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index post_shares_post on post_shares (post_id, id desc);
create index post_shares_expiry on post_shares (expires_at);
`;
