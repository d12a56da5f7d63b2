-- A database of the first release-like state of Posthorn: commit 35fb9d0, migrations 1 to 7, the first with posts,
-- publishing, webhooks, statistics and analytics together. It was filled by that program itself: posthorn setup, two
-- accounts on sandboxes, a webhook, a draft, a published and a scheduled post, an invitation. (Its package for counting
-- the text of X and Bluesky was replaced by a plain count; neither network is in here.)
-- The first user is owner@example.com with the password "correct horse"; the token and the key are in upgrade.test.ts.
-- Kept as it is: a later release has to migrate it and work with it.

create table schema_migrations (number int primary key, name text not null, applied_at timestamptz not null default now());
insert into schema_migrations (number, name) values (1, 'first'), (2, 'people'), (3, 'media'), (4, 'publishing'), (5, 'webhooks'), (6, 'statistics'), (7, 'analytics');

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

-- As it was called on the machine it came from; only people read it.
alter table media add column file_name text;
alter table media add column uploaded_by text references users on delete set null;
-- Whether a post uses a file is asked before that is deleted.
create index posts_versions on posts using gin (versions jsonb_path_ops);

alter table accounts
  -- Where everybody can run a server: its address.
  add column server text not null default '',
  add column sandbox boolean not null default false,
  -- Sealed.
  add column tokens text,
  add column facts jsonb,
  -- When its access or its profile has to be looked at next; while that is under way, when somebody else may.
  add column care_at timestamptz,
  add column care_claim uuid;
create index accounts_care on accounts (care_at) where care_at is not null;

-- An account that is being connected: from the first click until the person has chosen.
create table connections (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  user_id text not null references users on delete cascade,
  network text not null,
  server text not null,
  sandbox boolean not null,
  -- Sealed: the PKCE verifier, and later the accounts to choose from.
  secret text not null,
  created_at timestamptz not null default posthorn_now()
);

-- What we are registered as, where everybody can run a server.
create table network_apps (
  network text not null,
  server text not null,
  -- Sealed.
  credentials text not null,
  primary key (network, server)
);

create index posts_scheduled on posts (scheduled_at) where status = 'Scheduled';

-- A post on its way to one account.
create table sends (
  post_id text not null references posts on delete cascade,
  account_id text not null references accounts,
  workspace_id text not null,
  network text not null,
  -- When somebody has to look at it next; null when it has ended. Claiming moves it ahead by the lease.
  due_at timestamptz,
  claim uuid,
  started_at timestamptz not null default posthorn_now(),
  -- The same for as long as a part may already be out.
  key uuid not null default gen_random_uuid(),
  since timestamptz,
  -- The parts that are out.
  sent jsonb not null default '[]',
  -- What the network made ready for the next part.
  prepared jsonb,
  -- The call that makes the next part public was begun, and how it ended is not known.
  begun_at timestamptz,
  -- Its text, which may be edited before anybody asks the network what became of it.
  begun_body text,
  -- A person asked for it again: what the network says is not there may be sent.
  again boolean not null default false,
  tries int not null default 0,
  result jsonb,
  primary key (post_id, account_id)
);
create index sends_due on sends (network, due_at) where due_at is not null;

-- From Draft, Scheduled or Failed to Publishing. Accounts that have the post already are left out.
create function begin_publishing(ids text[]) returns void language plpgsql as $$ begin
  update posts set status = 'Publishing',
         results = coalesce((select jsonb_agg(r) from jsonb_array_elements(results) r where (r ->> 'ok')::boolean), '[]')
   where id = any(ids);
  insert into sends (post_id, account_id, workspace_id, network, due_at)
  select p.id, a.id, p.workspace_id, a.network, posthorn_now()
    from posts p cross join unnest(p.account_ids) as account(id) join accounts a on a.id = account.id
   where p.id = any(ids)
     and not exists (select from jsonb_array_elements(p.results) r where r ->> 'accountId' = a.id)
  on conflict (post_id, account_id) do update
     set due_at = excluded.due_at, claim = null, started_at = posthorn_now(), tries = 0, result = null,
         again = sends.begun_at is not null,
         prepared = case when sends.begun_at is not null then sends.prepared end,
         since = case when sends.begun_at is not null then sends.since end,
         key = case when sends.begun_at is not null then sends.key else gen_random_uuid() end;
  perform pg_notify('posthorn_due', 'sends');
end $$;

-- Those of the posts in Publishing of which no account is left to go to. Locks first, so that of two who end the
-- last two accounts of a post at once, the second sees what the first did. A key lock is not in the way: whoever adds a
-- publication holds one.
create function end_publishing(ids text[]) returns setof posts language plpgsql as $$ begin
  perform from posts where id = any(ids) order by id for no key update;
  return query
  with ended as (
    select p.id, jsonb_agg(coalesce(s.result, kept.result) order by account.place) as results,
           bool_and((coalesce(s.result, kept.result) ->> 'ok')::boolean) as ok
      from posts p
      cross join unnest(p.account_ids) with ordinality as account(id, place)
      left join sends s on s.post_id = p.id and s.account_id = account.id and s.result is not null
      left join lateral (select r as result from jsonb_array_elements(p.results) r where r ->> 'accountId' = account.id) kept on true
     where p.id = any(ids) and p.status = 'Publishing'
       and not exists (select from sends open where open.post_id = p.id and open.due_at is not null)
     group by p.id
  )
  update posts set status = case when ended.ok then 'Published' else 'Failed' end, results = ended.results
    from ended where posts.id = ended.id
  returning posts.*;
end $$;

alter table publications
  -- What the network needs beside the id to tell the numbers.
  add column ref jsonb;

-- What happened, for webhooks; written with the change itself.
create table events (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  type text not null,
  data jsonb not null,
  created_at timestamptz not null default posthorn_now()
);
create index events_age on events (created_at);

-- What a workspace has used of its plan, month by month.
create table plan_usage (
  workspace_id text not null references workspaces on delete cascade,
  month text not null,
  scheduled int not null default 0,
  paid_posts int not null default 0,
  primary key (workspace_id, month)
);

create table sandbox_records (
  network text not null,
  kind text not null,
  id text not null,
  value jsonb not null,
  owner text,
  parent text,
  number bigint generated always as identity,
  primary key (network, kind, id)
);
create index sandbox_records_newest on sandbox_records (network, kind, number desc);
create index sandbox_records_owner on sandbox_records (network, kind, owner, number desc) where owner is not null;
create index sandbox_records_parent on sandbox_records (network, kind, parent, number desc) where parent is not null;

-- How far the sandbox clock was moved. posthorn_now() has the same number written into it, which costs nothing.
create table sandbox_clock (one boolean primary key default true check (one), offset_ms bigint not null);
insert into sandbox_clock (offset_ms) values (0);
create function move_sandbox_clock(by_ms bigint) returns bigint language plpgsql as $$ declare total bigint; begin
  update sandbox_clock set offset_ms = offset_ms + by_ms returning offset_ms into total;
  execute format(
    'create or replace function posthorn_now() returns timestamptz language sql volatile as %L',
    format('select clock_timestamp() + interval ''%s milliseconds''', total));
  perform pg_notify('posthorn_due', 'clock');
  return total;
end $$;

create table webhooks (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  url text not null,
  events text[] not null,
  -- Sealed.
  secret text not null,
  -- Sealed: the one before a rotation, which signs too until then.
  old_secret text,
  old_secret_until timestamptz,
  given_up_in_a_row int not null default 0,
  paused_at timestamptz,
  pause_reason text,
  created_at timestamptz not null default posthorn_now()
);
-- Ids sort by creation time: after a move to a smaller plan the oldest keep working.
create index webhooks_oldest on webhooks (workspace_id, id);

create table deliveries (
  id text primary key,
  webhook_id text not null references webhooks on delete cascade,
  event_id text not null,
  type text not null,
  -- The bytes that are signed and sent, the same on every try.
  body text not null,
  state text not null default 'pending' check (state in ('pending', 'sending', 'delivered', 'failed')),
  attempts int not null default 0,
  last_answer text,
  tried_at timestamptz,
  -- When somebody has to look at it next; null when it has ended. Claiming moves it ahead by the lease.
  due_at timestamptz default posthorn_now(),
  claim uuid,
  created_at timestamptz not null default posthorn_now()
);
-- By webhook first: what one receiver keeps waiting is never read on the way to what is due for another.
create index deliveries_due on deliveries (webhook_id, due_at) where due_at is not null;
create index deliveries_newest on deliveries (webhook_id, id desc);

alter table accounts
  -- The network refused to tell numbers; nothing is read until somebody reconnects. Not to do with status.
  add column statistics_stopped_at timestamptz;

alter table publications
  add column network text,
  -- When its numbers have to be read, or somebody else may read them. next_fetch_at is what callers see.
  add column due_at timestamptz,
  add column claim uuid,
  -- How often the next read was moved.
  add column moves int not null default 0,
  add column failed_at timestamptz,
  -- Its schedule is not over: it goes on when the account is reconnected.
  add column reads_stopped boolean not null default false;
update publications p set network = a.network, due_at = p.next_fetch_at from accounts a where a.id = p.account_id;
alter table publications alter column network set not null;
create index publications_due on publications (network, due_at) where due_at is not null;
create index publications_account on publications (account_id, due_at);

create function begin_reads() returns trigger language plpgsql as $$ begin
  new.network := (select network from accounts where id = new.account_id);
  new.due_at := new.next_fetch_at;
  return new;
end $$;
create trigger publications_begin before insert on publications for each row execute function begin_reads();

-- Every read that brought numbers.
create table metric_reads (
  post_id text not null,
  account_id text not null,
  fetched_at timestamptz not null,
  metrics jsonb not null,
  primary key (post_id, account_id, fetched_at),
  foreign key (post_id, account_id) references publications on delete cascade
);

-- What a network said, when that is a number within reason; anything else counts as not reported.
create function metric(metrics jsonb, name text) returns bigint language sql immutable parallel safe
  return case when jsonb_typeof(metrics -> name) = 'number' then
    case when abs((metrics -> name)::numeric) < 1e12 then (metrics -> name)::bigint end end;

alter table publications
  add column views bigint generated always as (metric(metrics, 'views')) stored,
  add column reach bigint generated always as (metric(metrics, 'reach')) stored,
  add column likes bigint generated always as (metric(metrics, 'likes')) stored,
  add column comments bigint generated always as (metric(metrics, 'comments')) stored,
  add column shares bigint generated always as (metric(metrics, 'shares')) stored,
  add column quotes bigint generated always as (metric(metrics, 'quotes')) stored,
  add column saves bigint generated always as (metric(metrics, 'saves')) stored,
  add column clicks bigint generated always as (metric(metrics, 'clicks')) stored,
  add column engagement bigint generated always as (
    coalesce(metric(metrics, 'likes'), 0) + coalesce(metric(metrics, 'comments'), 0) + coalesce(metric(metrics, 'shares'), 0)
    + coalesce(metric(metrics, 'quotes'), 0) + coalesce(metric(metrics, 'saves'), 0)) stored;

-- Totals of an account, connected or not, are read from the index alone.
create index accounts_workspace on accounts (workspace_id);
drop index publications_published;
create index publications_totals on publications (workspace_id, account_id, published_at)
  include (post_id, views, reach, likes, comments, shares, quotes, saves, clicks, engagement);

-- A post over all its publications: it counts once, however many accounts it went to. Kept by triggers, so that nobody
-- who writes publications has to know.
create table published_posts (
  post_id text primary key references posts on delete cascade,
  workspace_id text not null references workspaces on delete cascade,
  published_at timestamptz not null,
  last_published_at timestamptz not null,
  engagement bigint not null,
  -- Networks that it went to more than once, each time after the first.
  repeats text[],
  published_second bigint not null generated always as (floor(extract(epoch from published_at at time zone 'UTC'))) stored
);
create index published_posts_times on published_posts (workspace_id, published_at)
  include (last_published_at, engagement, published_second, post_id);
create index published_posts_late on published_posts (workspace_id, last_published_at) include (published_at, post_id)
  where last_published_at - published_at > interval '1 hour';
create index published_posts_repeats on published_posts (workspace_id, published_at) where repeats is not null;

create function published_posts_of(ids text[]) returns setof published_posts language sql stable as $$
  select post_id, workspace_id, min(published_at), max(published_at), sum(engagement)::bigint,
         array_agg(network order by network) filter (where nth > 1), floor(extract(epoch from min(published_at)))::bigint
    from (
      select *, row_number() over (partition by post_id, network) as nth from publications where post_id = any(ids)
    ) as target
   group by post_id, workspace_id
$$;

insert into published_posts (post_id, workspace_id, published_at, last_published_at, engagement, repeats)
  select post_id, workspace_id, published_at, last_published_at, engagement, repeats
    from published_posts_of(array(select distinct post_id from publications));

create function keep_published_posts() returns trigger language plpgsql as $$
declare
  ids text[];
begin
  if tg_op = 'UPDATE' then
    ids := array(select distinct post_id from changed join before using (post_id, account_id)
      where (changed.engagement, changed.published_at) is distinct from (before.engagement, before.published_at));
  else
    ids := array(select distinct post_id from changed);
  end if;
  if ids = '{}' then return null; end if;
  if tg_op = 'INSERT' then
    insert into published_posts (post_id, workspace_id, published_at, last_published_at, engagement, repeats)
      select post_id, workspace_id, published_at, last_published_at, engagement, repeats from published_posts_of(ids)
       order by post_id
      on conflict do nothing;
  end if;
  -- One change of a post at a time. The statements after this one see what those before have committed.
  perform from published_posts where post_id = any(ids) order by post_id for update;
  update published_posts p set published_at = fresh.published_at, last_published_at = fresh.last_published_at,
      engagement = fresh.engagement, repeats = fresh.repeats
    from published_posts_of(ids) as fresh where p.post_id = fresh.post_id and p is distinct from fresh;
  if tg_op = 'DELETE' then
    delete from published_posts p where post_id = any(ids)
      and not exists (select from publications where publications.post_id = p.post_id);
  end if;
  return null;
end $$;
create trigger publications_added after insert on publications
  referencing new table as changed for each statement execute function keep_published_posts();
create trigger publications_changed after update on publications
  referencing old table as before new table as changed for each statement execute function keep_published_posts();
create trigger publications_removed after delete on publications
  referencing old table as changed for each statement execute function keep_published_posts();


    CREATE TABLE IF NOT EXISTS "agenda_jobs" (
      id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
      name VARCHAR(255) NOT NULL,
      priority INTEGER NOT NULL DEFAULT 0,
      next_run_at TIMESTAMPTZ,
      type VARCHAR(10) NOT NULL DEFAULT 'normal' CHECK (type IN ('normal', 'single')),
      locked_at TIMESTAMPTZ,
      last_finished_at TIMESTAMPTZ,
      failed_at TIMESTAMPTZ,
      fail_count INTEGER DEFAULT NULL,
      fail_reason TEXT,
      repeat_timezone VARCHAR(100),
      last_run_at TIMESTAMPTZ,
      repeat_interval VARCHAR(255),
      data JSONB DEFAULT '{}'::jsonb,
      repeat_at VARCHAR(255),
      disabled BOOLEAN DEFAULT FALSE,
      progress REAL,
      fork BOOLEAN DEFAULT FALSE,
      last_modified_by VARCHAR(255),
      debounce_started_at TIMESTAMPTZ,
      start_date TIMESTAMPTZ,
      end_date TIMESTAMPTZ,
      skip_days JSONB,
      created_at TIMESTAMPTZ DEFAULT NOW(),
      updated_at TIMESTAMPTZ DEFAULT NOW()
    );
  
set session_replication_role = replica;
insert into users (id, email, password_hash, created_at, last_workspace_id, tokens_valid_after, subject) overriding system value
select id, email, password_hash, created_at, last_workspace_id, tokens_valid_after, subject from json_populate_recordset(null::users, $rows$[
{"id":"usr_01M7G57TX01A1W5ZD2SJJVJRBP","email":"owner@example.com","password_hash":"$argon2id$v=19$m=19456,t=2,p=1$VG6/HaGL13RvnwhpQcHxAQ$DWPl1ZoO1BRGkPK6v5ujCxES3EP/bkwkcqgGYUxjeYM","created_at":"2026-11-15T17:49:18.727813+00:00","last_workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","tokens_valid_after":"-infinity","subject":null}
]$rows$);
insert into workspaces (id, name, plan, created_at, statistics_tools) overriding system value
select id, name, plan, created_at, statistics_tools from json_populate_recordset(null::workspaces, $rows$[
{"id":"ws_01M7G57V098Q3AJANPFE48607T","name":"First","plan":"unlimited","created_at":"2026-11-15T17:49:18.735784+00:00","statistics_tools":false}
]$rows$);
insert into members (workspace_id, user_id, role, created_at) overriding system value
select workspace_id, user_id, role, created_at from json_populate_recordset(null::members, $rows$[
{"workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","user_id":"usr_01M7G57TX01A1W5ZD2SJJVJRBP","role":"owner","created_at":"2026-11-15T17:49:18.739478+00:00"}
]$rows$);
insert into personal_tokens (id, workspace_id, user_id, name, hash, created_at, last_used_at, revoked_at) overriding system value
select id, workspace_id, user_id, name, hash, created_at, last_used_at, revoked_at from json_populate_recordset(null::personal_tokens, $rows$[
{"id":"tok_01M7G57V2B37N7316QM51718DP","workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","user_id":"usr_01M7G57TX01A1W5ZD2SJJVJRBP","name":"Setup","hash":"\\xe022c1ea7eeac1103b039e0b85cc3ad6353dea527e52e58dc096fe662df3e5c4","created_at":"2026-11-15T17:49:18.811422+00:00","last_used_at":"2026-11-15T17:49:45.404+00:00","revoked_at":null}
]$rows$);
insert into accounts (id, workspace_id, network, external_id, name, handle, avatar_url, status, granted_scopes, connected_at, disconnected_at, server, sandbox, tokens, facts, care_at, care_claim, statistics_stopped_at) overriding system value
select id, workspace_id, network, external_id, name, handle, avatar_url, status, granted_scopes, connected_at, disconnected_at, server, sandbox, tokens, facts, care_at, care_claim, statistics_stopped_at from json_populate_recordset(null::accounts, $rows$[
{"id":"acct_01M7G58988ZZ0XCG1MC6JH9AC6","workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","network":"mastodon","external_id":"334756585726","name":"Anna","handle":"anna@mastodon.sandbox","avatar_url":null,"status":"Connected","granted_scopes":["read:accounts","read:statuses","write:statuses","write:media"],"connected_at":"2026-11-15T17:49:33.367047+00:00","disconnected_at":null,"server":"sandbox:/sandbox/mastodon/server","sandbox":true,"tokens":"v1.k1.-3PMxb3PkeFUMzcDthgRC1T3ddN_tJFh9i_Br7m0yM9yqdFrz_7LfUrcHEsNj1d4N9n7_y3RQmDWumeEvCiRR7TjA5WpiZHdDBCIYK12eVxRQTZOvw","facts":{"version": "4.5.2", "maxMedia": 4, "mimeTypes": ["image/jpeg", "image/png", "image/gif", "image/heic", "image/heif", "image/webp", "image/avif", "video/webm", "video/mp4", "video/quicktime", "video/ogg", "audio/mpeg", "audio/ogg"], "maxAltLength": 1500, "maxCharacters": 500, "maxImageBytes": 16777216, "maxVideoBytes": 103809024, "maxImagePixels": 33177600, "charactersPerUrl": 23},"care_at":"2026-11-16T17:49:33.367047+00:00","care_claim":null,"statistics_stopped_at":null},
{"id":"acct_01M7G58JHSKSTC4RM6RG0SHZAQ","workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","network":"threads","external_id":"17841334756585726","name":"Anna","handle":"anna","avatar_url":null,"status":"Connected","granted_scopes":["threads_basic","threads_content_publish","threads_manage_replies","threads_read_replies","threads_manage_insights"],"connected_at":"2026-11-15T17:49:42.868132+00:00","disconnected_at":null,"server":"","sandbox":true,"tokens":"v1.k1.sYD6qgReCEjPqJOGWzNUnt-AjKkBQ3VJ2KkO6k6AYetGVLiK5F0oEuPadZ9zECbfmFy44MIuMRWW-4e0TZZWj2X9796JnxytPnwwHk6xb1zv1T5SakETZc2UDfYCyvtDMt_ivhZLrjmg7z_xqKESPatwFYoQBOhlNVkT7Q","facts":null,"care_at":"2026-11-16T17:49:42.868132+00:00","care_claim":null,"statistics_stopped_at":null}
]$rows$);
insert into posts (id, workspace_id, status, account_ids, versions, scheduled_at, results, created_by, updated_at) overriding system value
select id, workspace_id, status, account_ids, versions, scheduled_at, results, created_by, updated_at from json_populate_recordset(null::posts, $rows$[
{"id":"post_01M7G58M376W5B8DSCK1R74PNZ","workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","status":"Draft","account_ids":["acct_01M7G58988ZZ0XCG1MC6JH9AC6","acct_01M7G58JHSKSTC4RM6RG0SHZAQ"],"versions":[{"content": [{"body": "A draft of the first release", "media": []}], "options": {}}],"scheduled_at":null,"results":[],"created_by":"usr_01M7G57TX01A1W5ZD2SJJVJRBP","updated_at":"2026-11-15T17:49:44.427465+00:00"},
{"id":"post_01M7G58M6365P194SFZSMTQ2BW","workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","status":"Scheduled","account_ids":["acct_01M7G58988ZZ0XCG1MC6JH9AC6"],"versions":[{"content": [{"body": "Scheduled by the first release", "media": []}], "options": {}}],"scheduled_at":"2026-11-15T18:49:44.663+00:00","results":[],"created_by":"usr_01M7G57TX01A1W5ZD2SJJVJRBP","updated_at":"2026-11-15T17:49:44.802034+00:00"},
{"id":"post_01M7G58M4EA0S0M4FZW8363EFA","workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","status":"Published","account_ids":["acct_01M7G58988ZZ0XCG1MC6JH9AC6","acct_01M7G58JHSKSTC4RM6RG0SHZAQ"],"versions":[{"content": [{"body": "Published by the first release", "media": []}], "options": {}}],"scheduled_at":null,"results":[{"ok": true, "url": "http://localhost:4151/sandbox/mastodon/server/@anna/1054706588537446496", "accountId": "acct_01M7G58988ZZ0XCG1MC6JH9AC6", "externalId": "1054706588537446496", "publishedAt": "2026-11-15T17:49:44.865Z"}, {"ok": true, "url": "http://localhost:4151/sandbox/threads/web/@anna/post/1054706588660782617", "accountId": "acct_01M7G58JHSKSTC4RM6RG0SHZAQ", "externalId": "1054706588660782617", "publishedAt": "2026-11-15T17:49:44.986Z"}],"created_by":"usr_01M7G57TX01A1W5ZD2SJJVJRBP","updated_at":"2026-11-15T17:49:45.016982+00:00"}
]$rows$);
insert into publications (post_id, account_id, workspace_id, external_id, published_at, metrics, fetched_at, fetch_error, next_fetch_at, ref, network, due_at, claim, moves, failed_at, reads_stopped) overriding system value
select post_id, account_id, workspace_id, external_id, published_at, metrics, fetched_at, fetch_error, next_fetch_at, ref, network, due_at, claim, moves, failed_at, reads_stopped from json_populate_recordset(null::publications, $rows$[
{"post_id":"post_01M7G58M4EA0S0M4FZW8363EFA","account_id":"acct_01M7G58988ZZ0XCG1MC6JH9AC6","workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","external_id":"1054706588537446496","published_at":"2026-11-15T17:49:44.865+00:00","metrics":null,"fetched_at":null,"fetch_error":null,"next_fetch_at":"2026-11-15T18:49:44.865+00:00","ref":null,"network":"mastodon","due_at":"2026-11-15T18:49:44.865+00:00","claim":null,"moves":0,"failed_at":null,"reads_stopped":false},
{"post_id":"post_01M7G58M4EA0S0M4FZW8363EFA","account_id":"acct_01M7G58JHSKSTC4RM6RG0SHZAQ","workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","external_id":"1054706588660782617","published_at":"2026-11-15T17:49:44.986+00:00","metrics":null,"fetched_at":null,"fetch_error":null,"next_fetch_at":"2026-11-15T18:49:44.986+00:00","ref":null,"network":"threads","due_at":"2026-11-15T18:49:44.986+00:00","claim":null,"moves":0,"failed_at":null,"reads_stopped":false}
]$rows$);
insert into sessions (hash, user_id, created_at, last_seen_at) overriding system value
select hash, user_id, created_at, last_seen_at from json_populate_recordset(null::sessions, $rows$[
{"hash":"\\xc7fdd28eddac460afa257692da06a46a9a451ff78200c2c6d914d59e7103070d","user_id":"usr_01M7G57TX01A1W5ZD2SJJVJRBP","created_at":"2026-11-15T17:49:44.091+00:00","last_seen_at":"2026-11-15T17:49:44.091+00:00"}
]$rows$);
insert into invitations (id, workspace_id, email, role, hash, invited_by, created_at, expires_at, accepted_at) overriding system value
select id, workspace_id, email, role, hash, invited_by, created_at, expires_at, accepted_at from json_populate_recordset(null::invitations, $rows$[
{"id":"inv_01M7G58R2KFPHPG9BMQQ3VASQD","workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","email":"new@example.com","role":"editor","hash":"\\xc7ec2b0a708e7ce38f673ffa4069c3768bb9da6cafddc96bb338a55bb3390d7b","invited_by":"usr_01M7G57TX01A1W5ZD2SJJVJRBP","created_at":"2026-11-15T17:49:48.499+00:00","expires_at":"2026-11-22T17:49:48.499+00:00","accepted_at":null}
]$rows$);
insert into audit_log (id, workspace_id, user_id, event, client, details, request_id, created_at) overriding system value
select id, workspace_id, user_id, event, client, details, request_id, created_at from json_populate_recordset(null::audit_log, $rows$[
{"id":"aud_01M7G5899XZD87C1XH6HZ79VQQ","workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","user_id":"usr_01M7G57TX01A1W5ZD2SJJVJRBP","event":"account.connected","client":null,"details":{"handle": "anna@mastodon.sandbox", "network": "mastodon", "accountId": "acct_01M7G58988ZZ0XCG1MC6JH9AC6"},"request_id":null,"created_at":"2026-11-15T17:49:33.373+00:00"},
{"id":"aud_01M7G58JJQK1VW39VTDA9RJRX9","workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","user_id":"usr_01M7G57TX01A1W5ZD2SJJVJRBP","event":"account.connected","client":null,"details":{"handle": "anna", "network": "threads", "accountId": "acct_01M7G58JHSKSTC4RM6RG0SHZAQ"},"request_id":null,"created_at":"2026-11-15T17:49:42.871+00:00"},
{"id":"aud_01M7G58KRK2RZ9NMTTB4TE7Q5Q","workspace_id":null,"user_id":"usr_01M7G57TX01A1W5ZD2SJJVJRBP","event":"sign-in.succeeded","client":null,"details":{"email": "owner@example.com", "address": "127.0.0.1"},"request_id":"ff298194-588f-4da6-bfed-c372d07dbde0","created_at":"2026-11-15T17:49:44.083+00:00"},
{"id":"aud_01M7G58M1G6H8ZYPDK7WQMMPX4","workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","user_id":"usr_01M7G57TX01A1W5ZD2SJJVJRBP","event":"webhook.added","client":null,"details":{"id": "whk_01M7G58M1DQGTQZ8T5XX5J8BZN", "host": "hook.example.com", "events": ["post.published", "post.failed"]},"request_id":null,"created_at":"2026-11-15T17:49:44.368+00:00"},
{"id":"aud_01M7G58R4CHEG909Y9K1T81GE9","workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","user_id":"usr_01M7G57TX01A1W5ZD2SJJVJRBP","event":"member.invited","client":null,"details":{"role": "editor", "email": "new@example.com"},"request_id":null,"created_at":"2026-11-15T17:49:48.556+00:00"}
]$rows$);
insert into signing_keys (id, public_key, sealed_private_key, created_at, retired_at) overriding system value
select id, public_key, sealed_private_key, created_at, retired_at from json_populate_recordset(null::signing_keys, $rows$[
{"id":"mP0a60wHg1LyoNBvDKguDm43Hs-xL1sfIT5xTSmSGlQ","public_key":{"x": "GY-S7pKey0R2aAM9ZGJdoVCCBvQYF0px_HPT8IMqoIE", "y": "0-QOUeHrpoIs_iVFSJ2mATJfqnH_e3rX55o3ucICBHQ", "alg": "ES256", "crv": "P-256", "kid": "mP0a60wHg1LyoNBvDKguDm43Hs-xL1sfIT5xTSmSGlQ", "kty": "EC", "use": "sig"},"sealed_private_key":"v1.k1.WeqjRw5b6C4X4QWbKUip--BQMYXU4gpBQ-4R-1eIv6J9AVzZcfOFhkViYh7Eoj5nxHT8pdU9aZA-4Y88q43n17oLpyXl-JqLSIaCsOGuM-Sc0BhySTcqCfzwGgHjSKjPjQ1oU7gyTn4O0FTIazvsvFEDfATw1AHaToxIifKGO1O8MdZuvBiBBhV9B364AJsLlq6xjawOXZq7G5wiM9GckJi8kqg22yN3oPIfpLdNfvmixroOEQq9BucbpIJAYIM_ZfBXgBvzYHCRjgAH","created_at":"2026-11-15T17:48:46.299+00:00","retired_at":null}
]$rows$);
insert into network_apps (network, server, credentials) overriding system value
select network, server, credentials from json_populate_recordset(null::network_apps, $rows$[
{"network":"mastodon","server":"sandbox:/sandbox/mastodon/server","credentials":"v1.k1.xn72wIbujSOCfOvCoLh-RHbconxaAKwjfKq5yf8h0uFW5mWg6W44Eoo16lsdlYUm6oU-AJK5EwU2i5QB-88Pj6rxQZ-tRV8r2Vf-qidM5_YsyKWrx5JC4ujEf_FgDuT9t1Kzs95IccKpaw_c3tovzB6yOoF2qJhfXCCppPmex9-zdtD_2h0SouTkn1tA__s461Dl-Lpr7gLOJPKUYoBuQ1HiIQj9hbMTntkSxRNLHXFXNoSBdqJcMQ"}
]$rows$);
insert into sends (post_id, account_id, workspace_id, network, due_at, claim, started_at, key, since, sent, prepared, begun_at, begun_body, again, tries, result) overriding system value
select post_id, account_id, workspace_id, network, due_at, claim, started_at, key, since, sent, prepared, begun_at, begun_body, again, tries, result from json_populate_recordset(null::sends, $rows$[
{"post_id":"post_01M7G58M4EA0S0M4FZW8363EFA","account_id":"acct_01M7G58988ZZ0XCG1MC6JH9AC6","workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","network":"mastodon","due_at":null,"claim":null,"started_at":"2026-11-15T17:49:44.60864+00:00","key":"f051159e-068d-4dcf-bca5-4f94e8ed76da","since":"2026-11-15T17:49:44.665548+00:00","sent":[{"url": "http://localhost:4151/sandbox/mastodon/server/@anna/1054706588537446496", "externalId": "1054706588537446496"}],"prepared":null,"begun_at":null,"begun_body":"Published by the first release","again":false,"tries":0,"result":{"ok": true, "url": "http://localhost:4151/sandbox/mastodon/server/@anna/1054706588537446496", "accountId": "acct_01M7G58988ZZ0XCG1MC6JH9AC6", "externalId": "1054706588537446496", "publishedAt": "2026-11-15T17:49:44.865Z"}},
{"post_id":"post_01M7G58M4EA0S0M4FZW8363EFA","account_id":"acct_01M7G58JHSKSTC4RM6RG0SHZAQ","workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","network":"threads","due_at":null,"claim":null,"started_at":"2026-11-15T17:49:44.608815+00:00","key":"7aa915eb-39b0-4cf6-a0af-9b0612c16743","since":"2026-11-15T17:49:44.665744+00:00","sent":[{"url": "http://localhost:4151/sandbox/threads/web/@anna/post/1054706588660782617", "externalId": "1054706588660782617"}],"prepared":null,"begun_at":null,"begun_body":"Published by the first release","again":false,"tries":0,"result":{"ok": true, "url": "http://localhost:4151/sandbox/threads/web/@anna/post/1054706588660782617", "accountId": "acct_01M7G58JHSKSTC4RM6RG0SHZAQ", "externalId": "1054706588660782617", "publishedAt": "2026-11-15T17:49:44.986Z"}}
]$rows$);
insert into events (id, workspace_id, type, data, created_at) overriding system value
select id, workspace_id, type, data, created_at from json_populate_recordset(null::events, $rows$[
{"id":"evt_01M7G58MNSP19FTG7Y6FRD9S7G","workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","type":"post.published","data":{"post": {"id": "post_01M7G58M4EA0S0M4FZW8363EFA", "status": "Published", "results": [{"ok": true, "url": "http://localhost:4151/sandbox/mastodon/server/@anna/1054706588537446496", "accountId": "acct_01M7G58988ZZ0XCG1MC6JH9AC6", "externalId": "1054706588537446496", "publishedAt": "2026-11-15T17:49:44.865Z"}, {"ok": true, "url": "http://localhost:4151/sandbox/threads/web/@anna/post/1054706588660782617", "accountId": "acct_01M7G58JHSKSTC4RM6RG0SHZAQ", "externalId": "1054706588660782617", "publishedAt": "2026-11-15T17:49:44.986Z"}], "versions": [{"content": [{"body": "Published by the first release", "media": []}], "options": {}}], "updatedAt": "2026-11-15T17:49:45.016982Z", "accountIds": ["acct_01M7G58988ZZ0XCG1MC6JH9AC6", "acct_01M7G58JHSKSTC4RM6RG0SHZAQ"]}},"created_at":"2026-11-15T17:49:45.017+00:00"}
]$rows$);
insert into plan_usage (workspace_id, month, scheduled, paid_posts) overriding system value
select workspace_id, month, scheduled, paid_posts from json_populate_recordset(null::plan_usage, $rows$[
{"workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","month":"2026-11","scheduled":1,"paid_posts":0}
]$rows$);
insert into sandbox_records (network, kind, id, value, owner, parent, number) overriding system value
select network, kind, id, value, owner, parent, number from json_populate_recordset(null::sandbox_records, $rows$[
{"network":"mastodon","kind":"app","id":"1054706575789745483","value":{"scopes": ["read:accounts", "read:statuses", "write:statuses", "write:media"], "secret": "d7cvY6dU3d2ElMnX_mUeRfbUx-wv-bCja-hS5HdPEgI", "redirectUris": ["http://localhost:4151/connect/mastodon/callback"]},"owner":null,"parent":null,"number":1},
{"network":"mastodon","kind":"person","id":"334756585726","value":{"id": "334756585726", "name": "Anna", "handle": "anna"},"owner":null,"parent":null,"number":2},
{"network":"mastodon","kind":"grant access","id":"access-KxdiHte-IRcN2WfcGMUp1giKUWqaXFCl","value":{"data": null, "scopes": ["read:accounts", "read:statuses", "write:statuses", "write:media"], "personId": "334756585726", "expiresAt": null},"owner":"334756585726","parent":null,"number":4},
{"network":"threads","kind":"person","id":"334756585726","value":{"id": "334756585726", "name": "Anna", "handle": "anna"},"owner":null,"parent":null,"number":5},
{"network":"threads","kind":"grant short","id":"short-iRLjJzksI921KG1yd2Dg4JZzk4odF7rd","value":{"data": null, "scopes": ["threads_basic", "threads_content_publish", "threads_manage_replies", "threads_read_replies", "threads_manage_insights"], "personId": "334756585726", "expiresAt": "2026-11-15T18:49:42.536Z"},"owner":"334756585726","parent":null,"number":7},
{"network":"threads","kind":"grant access","id":"access-FlrHSASD7AnS_7QdEq9weEE-ArR6t110","value":{"data": {"issuedAt": "2026-11-15T17:49:42.635Z"}, "scopes": ["threads_basic", "threads_content_publish", "threads_manage_replies", "threads_read_replies", "threads_manage_insights"], "personId": "334756585726", "expiresAt": "2027-01-14T17:48:46.636Z"},"owner":"334756585726","parent":null,"number":8},
{"network":"mastodon","kind":"post","id":"1054706588537446496","value":{"id": "1054706588537446496", "data": {"sensitive": false, "visibility": "public", "attachments": [], "spoiler_text": ""}, "text": "Published by the first release", "media": [], "author": "334756585726", "createdAt": "2026-11-15T17:49:44.832Z", "authorName": "@anna"},"owner":"334756585726","parent":null,"number":10},
{"network":"mastodon","kind":"key","id":"334756585726 a4658136-6f16-4ea1-8bd6-3d3b97ee24f9","value":{"until": "2026-11-15T18:49:44.850Z", "postId": "1054706588537446496"},"owner":null,"parent":null,"number":11},
{"network":"threads","kind":"published","id":"1054706588467804765","value":"1054706588660782617","owner":null,"parent":null,"number":12},
{"network":"threads","kind":"container","id":"1054706588467804765","value":{"sent": {"text": "Published by the first release", "media_type": "TEXT"}, "text": "Published by the first release", "error": null, "media": [], "owner": "334756585726", "postId": "1054706588660782617", "isChild": false, "readyAt": "2026-11-15T17:49:44.766Z", "expiresAt": "2026-11-16T17:49:44.766Z"},"owner":null,"parent":null,"number":9},
{"network":"threads","kind":"post","id":"1054706588660782617","value":{"id": "1054706588660782617", "data": {"text": "Published by the first release", "media_type": "TEXT"}, "text": "Published by the first release", "media": [], "author": "17841334756585726", "createdAt": "2026-11-15T17:49:44.964Z", "authorName": "@anna"},"owner":"17841334756585726","parent":null,"number":14}
]$rows$);
insert into webhooks (id, workspace_id, url, events, secret, old_secret, old_secret_until, given_up_in_a_row, paused_at, pause_reason, created_at) overriding system value
select id, workspace_id, url, events, secret, old_secret, old_secret_until, given_up_in_a_row, paused_at, pause_reason, created_at from json_populate_recordset(null::webhooks, $rows$[
{"id":"whk_01M7G58M1DQGTQZ8T5XX5J8BZN","workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","url":"https://hook.example.com/posthorn","events":["post.published","post.failed"],"secret":"v1.k1.urYlSZNfq4JPWCRitVR5FwrB3KhjYfLfLdzwwPrPYtEHhMfIasQtRkOU7qwlpccDPm8tMySiIQ-P-CJpVxFZ5Fwc","old_secret":null,"old_secret_until":null,"given_up_in_a_row":0,"paused_at":null,"pause_reason":null,"created_at":"2026-11-15T17:49:44.366302+00:00"}
]$rows$);
insert into deliveries (id, webhook_id, event_id, type, body, state, attempts, last_answer, tried_at, due_at, claim, created_at) overriding system value
select id, webhook_id, event_id, type, body, state, attempts, last_answer, tried_at, due_at, claim, created_at from json_populate_recordset(null::deliveries, $rows$[
{"id":"whd_01M7G58MNVG6KRY9N7SKWACCW6","webhook_id":"whk_01M7G58M1DQGTQZ8T5XX5J8BZN","event_id":"evt_01M7G58MNSP19FTG7Y6FRD9S7G","type":"post.published","body":"{\"id\":\"evt_01M7G58MNSP19FTG7Y6FRD9S7G\",\"type\":\"post.published\",\"createdAt\":\"2026-11-15T17:49:45.017Z\",\"workspaceId\":\"ws_01M7G57V098Q3AJANPFE48607T\",\"data\":{\"post\":{\"id\":\"post_01M7G58M4EA0S0M4FZW8363EFA\",\"status\":\"Published\",\"accountIds\":[\"acct_01M7G58988ZZ0XCG1MC6JH9AC6\",\"acct_01M7G58JHSKSTC4RM6RG0SHZAQ\"],\"versions\":[{\"content\":[{\"body\":\"Published by the first release\",\"media\":[]}],\"options\":{}}],\"results\":[{\"ok\":true,\"url\":\"http://localhost:4151/sandbox/mastodon/server/@anna/1054706588537446496\",\"accountId\":\"acct_01M7G58988ZZ0XCG1MC6JH9AC6\",\"externalId\":\"1054706588537446496\",\"publishedAt\":\"2026-11-15T17:49:44.865Z\"},{\"ok\":true,\"url\":\"http://localhost:4151/sandbox/threads/web/@anna/post/1054706588660782617\",\"accountId\":\"acct_01M7G58JHSKSTC4RM6RG0SHZAQ\",\"externalId\":\"1054706588660782617\",\"publishedAt\":\"2026-11-15T17:49:44.986Z\"}],\"updatedAt\":\"2026-11-15T17:49:45.016982Z\"}}}","state":"pending","attempts":1,"last_answer":"The host name was not found.","tried_at":"2026-11-15T17:49:45.199968+00:00","due_at":"2026-11-15T17:50:45.199968+00:00","claim":null,"created_at":"2026-11-15T17:49:45.02064+00:00"}
]$rows$);
insert into published_posts (post_id, workspace_id, published_at, last_published_at, engagement, repeats) overriding system value
select post_id, workspace_id, published_at, last_published_at, engagement, repeats from json_populate_recordset(null::published_posts, $rows$[
{"post_id":"post_01M7G58M4EA0S0M4FZW8363EFA","workspace_id":"ws_01M7G57V098Q3AJANPFE48607T","published_at":"2026-11-15T17:49:44.865+00:00","last_published_at":"2026-11-15T17:49:44.986+00:00","engagement":0,"repeats":null}
]$rows$);
insert into agenda_jobs (id, name, priority, next_run_at, type, locked_at, last_finished_at, failed_at, fail_count, fail_reason, repeat_timezone, last_run_at, repeat_interval, data, repeat_at, disabled, progress, fork, last_modified_by, debounce_started_at, start_date, end_date, skip_days, created_at, updated_at) overriding system value
select id, name, priority, next_run_at, type, locked_at, last_finished_at, failed_at, fail_count, fail_reason, repeat_timezone, last_run_at, repeat_interval, data, repeat_at, disabled, progress, fork, last_modified_by, debounce_started_at, start_date, end_date, skip_days, created_at, updated_at from json_populate_recordset(null::agenda_jobs, $rows$[
{"id":"84860057-9abc-4fb4-ab8d-855f3dc6389a","name":"remove old sessions","priority":0,"next_run_at":"2026-11-15T18:48:47.028+00:00","type":"single","locked_at":null,"last_finished_at":"2026-11-15T17:48:47.061+00:00","failed_at":null,"fail_count":null,"fail_reason":null,"repeat_timezone":null,"last_run_at":"2026-11-15T17:48:47.028+00:00","repeat_interval":"1 hour","data":null,"repeat_at":null,"disabled":false,"progress":null,"fork":false,"last_modified_by":"vm 32741 8f9f945e-507c-4bab-adfb-898ec0a2b7d1","debounce_started_at":null,"start_date":null,"end_date":null,"skip_days":null,"created_at":"2026-11-15T17:48:46.989857+00:00","updated_at":"2026-11-15T17:48:47.087474+00:00"},
{"id":"5e94deb4-2a4d-41f3-a7c0-7ddc5350e7d6","name":"remove old idempotent answers","priority":0,"next_run_at":"2026-11-15T18:48:47.084+00:00","type":"single","locked_at":null,"last_finished_at":"2026-11-15T17:48:47.095+00:00","failed_at":null,"fail_count":null,"fail_reason":null,"repeat_timezone":null,"last_run_at":"2026-11-15T17:48:47.084+00:00","repeat_interval":"1 hour","data":null,"repeat_at":null,"disabled":false,"progress":null,"fork":false,"last_modified_by":"vm 32741 8f9f945e-507c-4bab-adfb-898ec0a2b7d1","debounce_started_at":null,"start_date":null,"end_date":null,"skip_days":null,"created_at":"2026-11-15T17:48:47.000913+00:00","updated_at":"2026-11-15T17:48:47.102419+00:00"},
{"id":"46eba4cf-9c73-49a6-bd7a-4327ab9485f8","name":"close old approval cards","priority":0,"next_run_at":"2026-11-15T17:58:47.106+00:00","type":"single","locked_at":null,"last_finished_at":"2026-11-15T17:48:47.114+00:00","failed_at":null,"fail_count":null,"fail_reason":null,"repeat_timezone":null,"last_run_at":"2026-11-15T17:48:47.106+00:00","repeat_interval":"10 minutes","data":null,"repeat_at":null,"disabled":false,"progress":null,"fork":false,"last_modified_by":"vm 32741 8f9f945e-507c-4bab-adfb-898ec0a2b7d1","debounce_started_at":null,"start_date":null,"end_date":null,"skip_days":null,"created_at":"2026-11-15T17:48:47.037222+00:00","updated_at":"2026-11-15T17:48:47.116135+00:00"},
{"id":"8a8ca679-cb73-45ab-897f-0dbbc98d6807","name":"look for what is due","priority":0,"next_run_at":"2026-11-15T17:50:24.055+00:00","type":"single","locked_at":null,"last_finished_at":"2026-11-15T17:50:19.072+00:00","failed_at":null,"fail_count":null,"fail_reason":null,"repeat_timezone":null,"last_run_at":"2026-11-15T17:50:19.055+00:00","repeat_interval":"5 seconds","data":null,"repeat_at":null,"disabled":false,"progress":null,"fork":false,"last_modified_by":"vm 32741 8f9f945e-507c-4bab-adfb-898ec0a2b7d1","debounce_started_at":null,"start_date":null,"end_date":null,"skip_days":null,"created_at":"2026-11-15T17:48:46.981535+00:00","updated_at":"2026-11-15T17:50:19.09537+00:00"},
{"id":"923ecdf6-0a88-42b4-8a60-7ff81e1141c0","name":"remove files without a media item","priority":0,"next_run_at":"2026-11-15T18:48:47.123+00:00","type":"single","locked_at":null,"last_finished_at":"2026-11-15T17:48:47.165+00:00","failed_at":null,"fail_count":null,"fail_reason":null,"repeat_timezone":null,"last_run_at":"2026-11-15T17:48:47.123+00:00","repeat_interval":"1 hour","data":null,"repeat_at":null,"disabled":false,"progress":null,"fork":false,"last_modified_by":"vm 32741 8f9f945e-507c-4bab-adfb-898ec0a2b7d1","debounce_started_at":null,"start_date":null,"end_date":null,"skip_days":null,"created_at":"2026-11-15T17:48:47.097149+00:00","updated_at":"2026-11-15T17:48:47.175079+00:00"},
{"id":"49007e3b-4af1-4a4f-a1e9-03dddff1ff88","name":"remove unfinished connections","priority":0,"next_run_at":"2026-11-15T18:48:47.151+00:00","type":"single","locked_at":null,"last_finished_at":"2026-11-15T17:48:47.174+00:00","failed_at":null,"fail_count":null,"fail_reason":null,"repeat_timezone":null,"last_run_at":"2026-11-15T17:48:47.151+00:00","repeat_interval":"1 hour","data":null,"repeat_at":null,"disabled":false,"progress":null,"fork":false,"last_modified_by":"vm 32741 8f9f945e-507c-4bab-adfb-898ec0a2b7d1","debounce_started_at":null,"start_date":null,"end_date":null,"skip_days":null,"created_at":"2026-11-15T17:48:47.116481+00:00","updated_at":"2026-11-15T17:48:47.185412+00:00"},
{"id":"58cc1730-7242-4142-b97e-963af59939c3","name":"remove old deliveries and events","priority":0,"next_run_at":"2026-11-15T18:48:47.179+00:00","type":"single","locked_at":null,"last_finished_at":"2026-11-15T17:48:47.221+00:00","failed_at":null,"fail_count":null,"fail_reason":null,"repeat_timezone":null,"last_run_at":"2026-11-15T17:48:47.179+00:00","repeat_interval":"1 hour","data":null,"repeat_at":null,"disabled":false,"progress":null,"fork":false,"last_modified_by":"vm 32741 8f9f945e-507c-4bab-adfb-898ec0a2b7d1","debounce_started_at":null,"start_date":null,"end_date":null,"skip_days":null,"created_at":"2026-11-15T17:48:47.135531+00:00","updated_at":"2026-11-15T17:48:47.231142+00:00"},
{"id":"922c22d9-d1ee-4ad1-9c32-5d2cf236f401","name":"remove the plan usage of past months","priority":0,"next_run_at":"2026-11-16T17:48:47.192+00:00","type":"single","locked_at":null,"last_finished_at":"2026-11-15T17:48:47.227+00:00","failed_at":null,"fail_count":null,"fail_reason":null,"repeat_timezone":null,"last_run_at":"2026-11-15T17:48:47.192+00:00","repeat_interval":"1 day","data":null,"repeat_at":null,"disabled":false,"progress":null,"fork":false,"last_modified_by":"vm 32741 8f9f945e-507c-4bab-adfb-898ec0a2b7d1","debounce_started_at":null,"start_date":null,"end_date":null,"skip_days":null,"created_at":"2026-11-15T17:48:47.161486+00:00","updated_at":"2026-11-15T17:48:47.232203+00:00"},
{"id":"ec66a00d-2ffd-4b48-9965-56b93d5b48ea","name":"remove expired records of the identity provider","priority":0,"next_run_at":"2026-11-15T18:48:47.236+00:00","type":"single","locked_at":null,"last_finished_at":"2026-11-15T17:48:47.263+00:00","failed_at":null,"fail_count":null,"fail_reason":null,"repeat_timezone":null,"last_run_at":"2026-11-15T17:48:47.236+00:00","repeat_interval":"1 hour","data":null,"repeat_at":null,"disabled":false,"progress":null,"fork":false,"last_modified_by":"vm 32741 8f9f945e-507c-4bab-adfb-898ec0a2b7d1","debounce_started_at":null,"start_date":null,"end_date":null,"skip_days":null,"created_at":"2026-11-15T17:48:47.183472+00:00","updated_at":"2026-11-15T17:48:47.263401+00:00"}
]$rows$);

select setval('sandbox_records_number_seq', (select max(number) from sandbox_records));
set session_replication_role = default;
