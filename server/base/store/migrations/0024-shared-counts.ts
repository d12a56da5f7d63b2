export const sql = `
-- Requests of a caller in a window, counted by all instances. Unlogged: after a crash they count anew.
create unlogged table request_counts (
  name text not null,
  key text not null,
  until timestamptz not null,
  used int not null,
  primary key (name, key, until)
) with (fillfactor = 50);
create index request_counts_old on request_counts (until);

-- Who is being answered by the assistant, on whatever instance.
create unlogged table assistant_turns (
  user_id text primary key references users on delete cascade,
  holder uuid not null,
  until timestamptz not null
);
`;
