export const sql = `
-- One notion of now for everything the database decides.
create function posthorn_now() returns timestamptz language sql volatile as $$ select clock_timestamp() $$;

create table users (
  id text primary key,
  email text not null,
  password_hash text not null,
  created_at timestamptz not null default posthorn_now()
);
create unique index users_email on users (lower(email));

create table workspaces (
  id text primary key,
  name text not null,
  plan text not null default 'unlimited',
  created_at timestamptz not null default posthorn_now()
);

create table members (
  workspace_id text not null references workspaces on delete cascade,
  user_id text not null references users on delete cascade,
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
  created_at timestamptz not null default posthorn_now(),
  primary key (workspace_id, user_id)
);
create index members_user on members (user_id);

create table personal_tokens (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  user_id text not null references users on delete cascade,
  name text not null,
  hash bytea not null unique,
  created_at timestamptz not null default posthorn_now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index personal_tokens_owner on personal_tokens (user_id, workspace_id);

create table accounts (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  network text not null,
  external_id text not null,
  name text not null,
  handle text not null,
  avatar_url text,
  status text not null default 'Connected' check (status in ('Connected', 'NeedsReconnect')),
  granted_scopes text[] not null default '{}',
  connected_at timestamptz not null default posthorn_now(),
  -- A disconnected account stays for the history of its posts.
  disconnected_at timestamptz
);
create unique index accounts_once on accounts (workspace_id, network, external_id) where disconnected_at is null;

create table media (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  kind text not null check (kind in ('Image', 'Video')),
  mime_type text not null,
  bytes bigint not null,
  width int not null,
  height int not null,
  duration_ms int,
  alt text,
  created_at timestamptz not null default posthorn_now()
);
create index media_newest on media (workspace_id, id desc);

create table posts (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  status text not null check (status in ('Draft', 'Scheduled', 'Publishing', 'Published', 'Failed')),
  account_ids text[] not null,
  versions jsonb not null,
  scheduled_at timestamptz,
  results jsonb not null default '[]',
  created_by text not null,
  updated_at timestamptz not null default posthorn_now()
);
create index posts_newest on posts (workspace_id, id desc);
create index posts_newest_by_status on posts (workspace_id, status, id desc);

-- updatedAt grows with every change that a caller can see, and with no other.
create function touch_updated_at() returns trigger language plpgsql as $$ begin
  new.updated_at := greatest(posthorn_now(), old.updated_at + interval '1 microsecond');
  return new;
end $$;
create trigger posts_touch before update of status, account_ids, versions, scheduled_at, results on posts
  for each row execute function touch_updated_at();

-- A post that is out on one account: what statistics and analytics are about.
create table publications (
  post_id text not null references posts on delete cascade,
  account_id text not null references accounts,
  workspace_id text not null references workspaces on delete cascade,
  external_id text not null,
  published_at timestamptz not null,
  metrics jsonb,
  fetched_at timestamptz,
  fetch_error text,
  next_fetch_at timestamptz,
  primary key (post_id, account_id)
);
create index publications_published on publications (workspace_id, published_at);

create table ui_contexts (
  user_id text not null references users on delete cascade,
  workspace_id text not null references workspaces on delete cascade,
  page text not null,
  post_id text,
  account_id text,
  updated_at timestamptz not null default posthorn_now(),
  primary key (user_id, workspace_id)
);

create table idempotent_answers (
  workspace_id text not null references workspaces on delete cascade,
  user_id text not null references users on delete cascade,
  key text not null,
  request_hash bytea not null,
  answer jsonb,
  created_at timestamptz not null default posthorn_now(),
  primary key (workspace_id, user_id, key)
);
create index idempotent_answers_age on idempotent_answers (created_at);
`;
