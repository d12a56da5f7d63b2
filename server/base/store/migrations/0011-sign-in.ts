export const sql = `
alter table users
  -- Absent: the local part of the address.
  add column name text,
  add column time_zone text not null default '',
  add column theme text not null default 'auto' check (theme in ('auto', 'light', 'dark')),
  add column shortcuts boolean not null default true,
  -- Set the installation up.
  add column is_operator boolean not null default false;
update users set is_operator = true where id = (select min(id) from users);

alter table sessions
  add column id text not null unique default 'ses_' || replace(gen_random_uuid()::text, '-', ''),
  -- The one that is open in this browser; users.last_workspace_id is the last one opened in any.
  add column workspace_id text references workspaces on delete set null,
  add column user_agent text not null default '',
  add column by_link boolean not null default false;
update sessions s set workspace_id = u.last_workspace_id from users u where u.id = s.user_id;

-- Tries at the password of one address from one network, since the last right one.
create table password_tries (
  account text not null,
  network text not null,
  tries int not null,
  last_at timestamptz not null,
  next_at timestamptz not null,
  primary key (account, network)
);
create index password_tries_last on password_tries (last_at);

-- Links and codes that work once. Without a user: for the first owner.
create table one_time_secrets (
  hash bytea primary key,
  purpose text not null check (purpose in ('sign-in', 'first-owner')),
  user_id text references users on delete cascade,
  expires_at timestamptz not null
);

-- What MCP clients may do for whom. Tokens that were issued until ended_at are refused.
create table client_access (
  id text primary key,
  user_id text not null references users on delete cascade,
  client_id text not null,
  name text not null,
  scopes text[] not null,
  given_at timestamptz not null,
  last_used_at timestamptz,
  ended_at timestamptz,
  unique (user_id, client_id)
);

-- A database that production has used keeps the true time.
alter table sandbox_clock add column is_closed boolean not null default false;
`;
