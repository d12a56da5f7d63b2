export const sql = `
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
`;
