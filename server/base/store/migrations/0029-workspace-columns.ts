export const sql = `
-- What concerns no workspace, or nobody knows which. In audit_log every row has one.
create table service_audit_log (
  id text primary key,
  user_id text,
  event text not null,
  client text,
  details jsonb not null default '{}',
  request_id text,
  created_at timestamptz not null
);

-- Every large table says whose its rows are, so that it can be spread by workspace.
alter table chat_messages add column workspace_id text;
alter table deliveries add column workspace_id text;
alter table import_media add column workspace_id text;
alter table import_rows add column workspace_id text;
alter table link_cards add column workspace_id text;
alter table metric_reads add column workspace_id text;
alter table notification_reads add column workspace_id text;
alter table post_history add column workspace_id text;
alter table post_labels add column workspace_id text;
alter table post_renditions add column workspace_id text;
alter table renditions add column workspace_id text;

-- For rows of the release before, which does not know the column. Migration 32 drops it: no other reason for a trigger.
create function fill_workspace() returns trigger language plpgsql as $$ begin
  execute format('select workspace_id from %I where id = ($1).%I', tg_argv[0], tg_argv[1]) into new.workspace_id using new;
  return new;
end $$;
create trigger fill_workspace before insert on chat_messages for each row when (new.workspace_id is null)
  execute function fill_workspace('chats', 'chat_id');
create trigger fill_workspace before insert on deliveries for each row when (new.workspace_id is null)
  execute function fill_workspace('webhooks', 'webhook_id');
create trigger fill_workspace before insert on import_media for each row when (new.workspace_id is null)
  execute function fill_workspace('imports', 'import_id');
create trigger fill_workspace before insert on import_rows for each row when (new.workspace_id is null)
  execute function fill_workspace('imports', 'import_id');
create trigger fill_workspace before insert on link_cards for each row when (new.workspace_id is null)
  execute function fill_workspace('posts', 'post_id');
create trigger fill_workspace before insert on metric_reads for each row when (new.workspace_id is null)
  execute function fill_workspace('posts', 'post_id');
create trigger fill_workspace before insert on notification_reads for each row when (new.workspace_id is null)
  execute function fill_workspace('notifications', 'notification_id');
create trigger fill_workspace before insert on post_history for each row when (new.workspace_id is null)
  execute function fill_workspace('posts', 'post_id');
create trigger fill_workspace before insert on post_labels for each row when (new.workspace_id is null)
  execute function fill_workspace('posts', 'post_id');
create trigger fill_workspace before insert on post_renditions for each row when (new.workspace_id is null)
  execute function fill_workspace('posts', 'post_id');
create trigger fill_workspace before insert on renditions for each row when (new.workspace_id is null)
  execute function fill_workspace('media', 'media_id');
`;
