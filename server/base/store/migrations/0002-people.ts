export const sql = `
-- Someone who came by the one-time link has no password yet.
alter table users alter column password_hash drop not null;
alter table users add column last_workspace_id text references workspaces on delete set null;
-- Access tokens issued before this instant are refused.
alter table users add column tokens_valid_after timestamptz not null default '-infinity';
-- The subject at an outside identity provider.
alter table users add column subject text unique;

alter table workspaces add column statistics_tools boolean not null default false;

create table sessions (
  hash bytea primary key,
  user_id text not null references users on delete cascade,
  created_at timestamptz not null,
  last_seen_at timestamptz not null
);
create index sessions_user on sessions (user_id);

create table invitations (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
  hash bytea not null unique,
  invited_by text not null references users on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz
);
create index invitations_workspace on invitations (workspace_id);

-- Written, never changed: who did what, from where.
create table audit_log (
  id text primary key,
  workspace_id text references workspaces on delete cascade,
  user_id text,
  event text not null,
  client text,
  details jsonb not null default '{}',
  request_id text,
  created_at timestamptz not null
);
create index audit_log_newest on audit_log (workspace_id, id desc);

create table conversations (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  client text not null,
  created_at timestamptz not null,
  unique (workspace_id, client)
);

create table approval_cards (
  id text primary key,
  conversation_id text not null references conversations on delete cascade,
  workspace_id text not null references workspaces on delete cascade,
  requested_by text not null references users on delete cascade,
  action text not null,
  input jsonb not null,
  -- One open card per request: the same call again finds it by this.
  request_hash bytea not null,
  -- What the request was about when it was made.
  subject jsonb not null,
  content_hash bytea not null,
  status text not null default 'Open' check (status in ('Open', 'Approved', 'Rejected', 'Outdated', 'Expired')),
  outcome jsonb,
  decided_by text,
  decided_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index approval_cards_open on approval_cards (workspace_id, requested_by, request_hash) where status = 'Open';
create index approval_cards_newest on approval_cards (workspace_id, id desc);
create index approval_cards_expiry on approval_cards (expires_at) where status = 'Open';

-- What the identity provider keeps: codes, grants, its own sessions. Clients are read from their documents.
create table identity_records (
  model text not null,
  id text not null,
  payload jsonb not null,
  grant_id text,
  uid text,
  user_code text,
  consumed_at timestamptz,
  expires_at timestamptz,
  primary key (model, id)
);
create index identity_records_grant on identity_records (grant_id) where grant_id is not null;
create index identity_records_uid on identity_records (model, uid) where uid is not null;
create index identity_records_expiry on identity_records (expires_at) where expires_at is not null;

-- Keys of the identity provider, the private part sealed. The newest that is old enough to be known everywhere signs.
create table signing_keys (
  id text primary key,
  public_key jsonb not null,
  sealed_private_key text not null,
  created_at timestamptz not null,
  retired_at timestamptz
);
`;
