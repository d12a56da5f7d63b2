export const sql = `
-- Of the bytes as they arrived, before metadata was removed; null for files that were added before this column existed.
alter table media add column sha256 text;
create index media_sha256 on media (workspace_id, sha256);

-- Upload addresses that were used, until they would have expired anyway.
create table used_upload_addresses (
  workspace_id text not null references workspaces (id) on delete cascade,
  id text not null,
  expires_at timestamptz not null,
  primary key (workspace_id, id)
);
`;
