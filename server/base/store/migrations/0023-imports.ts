export const sql = `
-- A file that somebody brought, read row by row. Its rows are posts once they are saved.
create table imports (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  created_by text not null,
  file_name text not null,
  format text not null,
  time_zone text not null,
  -- Columns that mean nothing here.
  ignored text[] not null default '{}',
  -- Null until the whole file is read.
  read_at timestamptz,
  created_at timestamptz not null default posthorn_now()
);
create index imports_newest on imports (workspace_id, id desc);

create table import_rows (
  import_id text not null references imports on delete cascade,
  number int not null,
  line int,
  -- Of what the file says, so that the same row is known again.
  fingerprint bytea not null,
  state text not null check (state in ('Ready', 'Unmatched', 'Duplicate', 'Bad')),
  problems jsonb not null,
  -- What a saved row becomes, its files by address; null for a bad row.
  draft jsonb,
  text text not null,
  items int not null,
  media int not null,
  post_id text references posts on delete set null,
  failure text,
  primary key (import_id, number)
);
create index import_rows_known on import_rows (fingerprint) where post_id is not null;
create index import_rows_post on import_rows (post_id) where post_id is not null;

-- Files that were fetched for an import: rows that name the same one share it, and nothing is fetched twice.
create table import_media (
  import_id text not null references imports on delete cascade,
  url text not null,
  alt text not null,
  media_id text not null references media on delete cascade,
  primary key (import_id, url, alt)
);
`;
