export const sql = `
-- What a person should know of. Whether it still needs one is seen from what it is about.
create table notifications (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  kind text not null,
  subject_id text not null,
  title text not null,
  detail text not null,
  -- The beginning of the post; shown in the app, and elsewhere only to those who chose so.
  excerpt text,
  path text not null,
  created_at timestamptz not null default posthorn_now()
);
create index notifications_newest on notifications (workspace_id, id desc);
create index notifications_subject on notifications (workspace_id, subject_id, id desc);
create index notifications_age on notifications (created_at);

create table notification_reads (
  notification_id text not null references notifications on delete cascade,
  user_id text not null references users on delete cascade,
  primary key (notification_id, user_id)
);
create index notification_reads_user on notification_reads (user_id);

-- What somebody wants to hear of outside the app. Without a row: what the service proposes.
create table notification_choices (
  user_id text primary key references users on delete cascade,
  mail text[] not null,
  push text[] not null,
  push_text boolean not null
);

-- A browser that push messages go to, while somebody is signed in with it.
create table push_subscriptions (
  id text primary key,
  user_id text not null references users on delete cascade,
  session_id text not null references sessions (id) on delete cascade,
  endpoint_hash bytea not null unique,
  -- Sealed: whoever has the address and its keys can send to it.
  subscription text not null,
  created_at timestamptz not null default posthorn_now()
);
create index push_subscriptions_user on push_subscriptions (user_id, id);
create index push_subscriptions_session on push_subscriptions (session_id);

-- Ours, by which push services know us.
create table push_keys (
  one boolean primary key default true check (one),
  public_key text not null,
  -- Sealed.
  private_key text not null
);

-- Mails and push messages on their way.
create table messages (
  id text primary key,
  channel text not null check (channel in ('mail', 'push')),
  purpose text not null,
  -- Null: somebody who has no account yet.
  user_id text references users on delete cascade,
  subscription_id text references push_subscriptions on delete cascade,
  -- Sealed; null once it has ended.
  content text,
  state text not null default 'pending' check (state in ('pending', 'sending', 'sent', 'failed')),
  attempts int not null default 0,
  last_answer text,
  -- When somebody has to look at it next; null when it has ended. Claiming moves it ahead by the lease.
  due_at timestamptz default posthorn_now(),
  claim uuid,
  -- Of no use to anybody after that.
  expires_at timestamptz not null,
  created_at timestamptz not null default posthorn_now()
);
create index messages_due on messages (due_at) where due_at is not null;
create index messages_user on messages (user_id, purpose, created_at);
create index messages_subscription on messages (subscription_id);
create index messages_age on messages (created_at);
`;
