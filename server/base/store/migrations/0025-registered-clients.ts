export const sql = `
create table registered_clients (
  id text primary key,
  name text not null,
  redirect_uris text[] not null,
  created_at timestamptz not null,
  -- Null: nobody has consented yet.
  last_used_at timestamptz
);
create index registered_clients_unused on registered_clients (created_at) where last_used_at is null;
create index registered_clients_last_used on registered_clients (last_used_at) where last_used_at is not null;
`;
