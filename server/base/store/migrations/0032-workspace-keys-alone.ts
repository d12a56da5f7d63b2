export const sql = `
drop function fill_workspace() cascade;

-- The release before wrote them without a workspace.
insert into service_audit_log (id, user_id, event, client, details, request_id, created_at)
  select id, user_id, event, client, details, request_id, created_at from audit_log where workspace_id is null;
delete from audit_log where workspace_id is null;

alter table approval_cards drop constraint approval_cards_conversation_id_fkey;
alter table chat_messages drop constraint chat_messages_chat_id_fkey;
alter table import_media drop constraint import_media_import_id_fkey, drop constraint import_media_media_id_fkey;
-- Of what a row became: Citus sets no part of such a reference to null, so whoever reads a row looks for its post.
alter table import_rows drop constraint import_rows_import_id_fkey, drop constraint import_rows_post_id_fkey;
alter table link_cards drop constraint link_cards_post_id_fkey;
alter table metric_reads drop constraint metric_reads_post_id_account_id_fkey;
alter table notification_reads drop constraint notification_reads_notification_id_fkey;
alter table post_comments drop constraint post_comments_post_id_fkey;
alter table post_history drop constraint post_history_post_id_fkey;
alter table post_labels drop constraint post_labels_post_id_fkey;
alter table post_renditions drop constraint post_renditions_media_id_fkey, drop constraint post_renditions_post_id_fkey, drop constraint post_renditions_rendition_id_fkey;
alter table post_shares drop constraint post_shares_post_id_fkey;
alter table publications drop constraint publications_post_id_fkey;
alter table published_posts drop constraint published_posts_post_id_fkey;
alter table renditions drop constraint renditions_media_id_fkey;
alter table sends drop constraint sends_post_id_fkey;

alter table approval_cards drop constraint approval_cards_pkey, add constraint approval_cards_pkey primary key using index approval_cards_wide;
alter table audit_log drop constraint audit_log_pkey, add constraint audit_log_pkey primary key using index audit_log_wide;
alter table chat_messages drop constraint chat_messages_pkey, add constraint chat_messages_pkey primary key using index chat_messages_wide;
alter table chats drop constraint chats_pkey, add constraint chats_pkey primary key using index chats_wide;
alter table conversations drop constraint conversations_pkey, add constraint conversations_pkey primary key using index conversations_wide;
alter table deliveries drop constraint deliveries_pkey, add constraint deliveries_pkey primary key using index deliveries_wide;
alter table events drop constraint events_pkey, add constraint events_pkey primary key using index events_wide;
alter table import_media drop constraint import_media_pkey, add constraint import_media_pkey primary key using index import_media_wide;
alter table import_rows drop constraint import_rows_pkey, add constraint import_rows_pkey primary key using index import_rows_wide;
alter table imports drop constraint imports_pkey, add constraint imports_pkey primary key using index imports_wide;
alter table link_cards drop constraint link_cards_pkey, add constraint link_cards_pkey primary key using index link_cards_wide;
alter table media drop constraint media_pkey, add constraint media_pkey primary key using index media_wide;
alter table metric_reads drop constraint metric_reads_pkey, add constraint metric_reads_pkey primary key using index metric_reads_wide;
alter table notification_reads drop constraint notification_reads_pkey, add constraint notification_reads_pkey primary key using index notification_reads_wide;
alter table notifications drop constraint notifications_pkey, add constraint notifications_pkey primary key using index notifications_wide;
alter table post_comments drop constraint post_comments_pkey, add constraint post_comments_pkey primary key using index post_comments_wide;
alter table post_history drop constraint post_history_pkey, add constraint post_history_pkey primary key using index post_history_wide;
alter table post_labels drop constraint post_labels_pkey, add constraint post_labels_pkey primary key using index post_labels_wide;
alter table post_renditions drop constraint post_renditions_pkey, add constraint post_renditions_pkey primary key using index post_renditions_wide;
alter table post_shares drop constraint post_shares_pkey, add constraint post_shares_pkey primary key using index post_shares_wide;
alter table posts drop constraint posts_pkey, add constraint posts_pkey primary key using index posts_wide;
alter table publications drop constraint publications_pkey, add constraint publications_pkey primary key using index publications_wide;
alter table published_posts drop constraint published_posts_pkey, add constraint published_posts_pkey primary key using index published_posts_wide;
alter table renditions drop constraint renditions_pkey, add constraint renditions_pkey primary key using index renditions_wide;
alter table sends drop constraint sends_pkey, add constraint sends_pkey primary key using index sends_wide;
alter table post_shares drop constraint post_shares_secret_hash_key;
drop index renditions_made_once;
alter index renditions_once rename to renditions_made_once;

-- Others take their place.
drop index approval_cards_newest, audit_log_newest, imports_newest, notifications_newest, posts_newest;
drop index deliveries_newest;
drop index import_rows_post;

-- Those that are there already are looked at by the next migration, while everybody works.
alter table approval_cards
  add constraint approval_cards_conversation_id_fkey foreign key (workspace_id, conversation_id) references conversations (workspace_id, id) on delete cascade not valid;
alter table chat_messages
  add constraint chat_messages_chat_id_fkey foreign key (workspace_id, chat_id) references chats (workspace_id, id) on delete cascade not valid;
alter table import_media
  add constraint import_media_import_id_fkey foreign key (workspace_id, import_id) references imports (workspace_id, id) on delete cascade not valid,
  add constraint import_media_media_id_fkey foreign key (workspace_id, media_id) references media (workspace_id, id) on delete cascade not valid;
alter table import_rows
  add constraint import_rows_import_id_fkey foreign key (workspace_id, import_id) references imports (workspace_id, id) on delete cascade not valid;
alter table link_cards
  add constraint link_cards_post_id_fkey foreign key (workspace_id, post_id) references posts (workspace_id, id) on delete cascade not valid;
alter table metric_reads
  add constraint metric_reads_post_id_account_id_fkey foreign key (workspace_id, post_id, account_id) references publications (workspace_id, post_id, account_id) on delete cascade not valid;
alter table notification_reads
  add constraint notification_reads_notification_id_fkey foreign key (workspace_id, notification_id) references notifications (workspace_id, id) on delete cascade not valid;
alter table post_comments
  add constraint post_comments_post_id_fkey foreign key (workspace_id, post_id) references posts (workspace_id, id) on delete cascade not valid;
alter table post_history
  add constraint post_history_post_id_fkey foreign key (workspace_id, post_id) references posts (workspace_id, id) on delete cascade not valid;
alter table post_labels
  add constraint post_labels_post_id_fkey foreign key (workspace_id, post_id) references posts (workspace_id, id) on delete cascade not valid;
alter table post_renditions
  add constraint post_renditions_media_id_fkey foreign key (workspace_id, media_id) references media (workspace_id, id) on delete cascade not valid,
  add constraint post_renditions_post_id_fkey foreign key (workspace_id, post_id) references posts (workspace_id, id) on delete cascade not valid,
  add constraint post_renditions_rendition_id_fkey foreign key (workspace_id, rendition_id) references renditions (workspace_id, id) not valid;
alter table post_shares
  add constraint post_shares_post_id_fkey foreign key (workspace_id, post_id) references posts (workspace_id, id) on delete cascade not valid;
alter table publications
  add constraint publications_post_id_fkey foreign key (workspace_id, post_id) references posts (workspace_id, id) on delete cascade not valid;
alter table published_posts
  add constraint published_posts_post_id_fkey foreign key (workspace_id, post_id) references posts (workspace_id, id) on delete cascade not valid;
alter table renditions
  add constraint renditions_media_id_fkey foreign key (workspace_id, media_id) references media (workspace_id, id) on delete cascade not valid;
alter table sends
  add constraint sends_post_id_fkey foreign key (workspace_id, post_id) references posts (workspace_id, id) on delete cascade not valid;
`;
