export const sql = `
-- One row for each backup that the service made or tried to make.
create table backups (
  id text primary key,
  reason text not null,
  -- The night it is for: one row, however many instances run. Null for one that a person asked for.
  slot text unique,
  state text not null,
  started_at timestamptz not null,
  lease_until timestamptz,
  finished_at timestamptz,
  path text,
  bytes bigint,
  contents jsonb,
  verified_at timestamptz,
  problem text
);

-- A restore adds a row. While one is not released, nothing is sent to the outside.
create table outgoing_holds (
  id text primary key,
  backup_at timestamptz not null,
  restored_at timestamptz not null,
  released_at timestamptz,
  released_by text,
  ended jsonb
);
create index outgoing_holds_open on outgoing_holds (restored_at) where released_at is null;
`;
