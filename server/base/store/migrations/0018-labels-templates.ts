export const sql = `
create table labels (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  name text not null,
  -- The name as it is compared: in small letters.
  name_key text not null,
  color text not null,
  unique (workspace_id, name_key)
);
create table post_labels (
  post_id text not null references posts on delete cascade,
  label_id text not null references labels on delete cascade,
  primary key (post_id, label_id)
);
create index post_labels_label on post_labels (label_id, post_id);

create table templates (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  kind text not null,
  name text not null,
  items text[] not null,
  options jsonb not null,
  updated_at timestamptz not null default posthorn_now()
);
create index templates_workspace on templates (workspace_id, kind, name, id);
`;
