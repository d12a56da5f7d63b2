export const sql = `
-- Pictures of accounts, fetched from their networks and made small.
create table avatars (
  account_id text primary key references accounts on delete cascade,
  source_url text not null,
  -- Null when it could not be fetched; it is tried again later.
  image bytea,
  fetched_at timestamptz not null default posthorn_now()
);
`;
