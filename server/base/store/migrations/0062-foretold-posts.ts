export const sql = `
-- Home reads the first foretold posts along an index. The time is that of the post when it was judged.
alter table forecasts add column scheduled_at timestamptz;
alter table forecasts add column is_blocked boolean not null
  generated always as (entries @? '$[*] ? (@.level == "Blocks")') stored;
update forecasts f set scheduled_at = p.scheduled_at from posts p where p.workspace_id = f.workspace_id and p.id = f.post_id;
create index forecasts_foretold on forecasts (workspace_id, is_blocked, scheduled_at, post_id) where entries <> '[]';
`;
