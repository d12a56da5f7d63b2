export const sql = `
-- What a post was judged with, so that a change is compared with it and judges only what shares something with the post.
alter table forecasts add column updated_at timestamptz;
alter table forecasts add column account_ids text[];
update forecasts f set updated_at = p.updated_at, account_ids = p.account_ids
  from posts p where p.workspace_id = f.workspace_id and p.id = f.post_id;

-- A check of a whole workspace goes page by page: how far it is, when the next page is due, and who asked for it.
alter table forecast_checks alter column checked_at drop not null;
alter table forecast_checks add column due_at timestamptz not null default posthorn_now();
alter table forecast_checks add column revision bigint not null default 0;
alter table forecast_checks add column request text;
alter table forecast_checks add column started_at timestamptz;
alter table forecast_checks add column started_request text;
alter table forecast_checks add column last_at timestamptz;
alter table forecast_checks add column last_id text;
alter table forecast_checks add column basis text;
update forecast_checks set due_at = checked_at + interval '1 day';
create index forecast_checks_due on forecast_checks (due_at);

-- Pages of posts in order of time, also where many are due at once.
create index posts_scheduled_in_order on posts (workspace_id, scheduled_at, id) where status = 'Scheduled';
drop index posts_scheduled_here;
`;
