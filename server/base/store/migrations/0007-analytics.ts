export const sql = `
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
`;
