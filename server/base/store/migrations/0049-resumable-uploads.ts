export const sql = `
-- Uploads that arrive in several requests. Their bytes are files of the media store, named in parts, in order.
create table resumable_uploads (
  workspace_id text not null references workspaces (id) on delete cascade,
  id text not null,
  user_id text not null,
  idempotency_key text,
  bytes bigint not null,
  received bigint not null default 0,
  parts text[] not null default '{}',
  -- As the sender wrote it, to compare a repeated request with the first.
  metadata text not null,
  alt text,
  file_name text,
  -- What became of it: an item of the library, or an error.
  media_id text,
  refusal jsonb,
  expires_at timestamptz not null,
  primary key (workspace_id, id)
);
create unique index resumable_uploads_key on resumable_uploads (workspace_id, user_id, idempotency_key);
create index resumable_uploads_expires_at on resumable_uploads (expires_at);
`;
