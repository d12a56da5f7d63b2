export const sql = `
-- Beside the keys there are, which are an id alone and so cannot be broken by a wider one.
create unique index approval_cards_wide on approval_cards (workspace_id, id);
create unique index audit_log_wide on audit_log (workspace_id, id);
create unique index chat_messages_wide on chat_messages (workspace_id, id);
create unique index chats_wide on chats (workspace_id, id);
create unique index conversations_wide on conversations (workspace_id, id);
create unique index deliveries_wide on deliveries (workspace_id, id);
create index deliveries_of_webhook on deliveries (webhook_id, workspace_id, id desc);
create unique index events_wide on events (workspace_id, id);
create unique index import_media_wide on import_media (workspace_id, import_id, url, alt);
create unique index import_rows_wide on import_rows (workspace_id, import_id, number);
create unique index imports_wide on imports (workspace_id, id);
create unique index link_cards_wide on link_cards (workspace_id, post_id, network, uri);
-- The id first: files have public addresses, which do not name the workspace.
create unique index media_wide on media (id, workspace_id);
create unique index metric_reads_wide on metric_reads (workspace_id, post_id, account_id, fetched_at);
create unique index notification_reads_wide on notification_reads (workspace_id, notification_id, user_id);
create unique index notifications_wide on notifications (workspace_id, id);
create unique index post_comments_wide on post_comments (workspace_id, id);
create unique index post_history_wide on post_history (workspace_id, post_id, number);
create unique index post_labels_wide on post_labels (workspace_id, post_id, label_id);
create unique index post_renditions_wide on post_renditions (workspace_id, post_id, account_id, media_id);
create unique index post_shares_wide on post_shares (workspace_id, id);
-- The secret first: it is all that a visitor brings.
create unique index post_shares_secret on post_shares (secret_hash, workspace_id);
create unique index posts_wide on posts (workspace_id, id);
create unique index publications_wide on publications (workspace_id, post_id, account_id);
create unique index published_posts_wide on published_posts (workspace_id, post_id);
create unique index renditions_wide on renditions (id, workspace_id);
create unique index renditions_once on renditions (workspace_id, media_id, mode, target, recipe) where not lost;
create unique index sends_wide on sends (workspace_id, post_id, account_id);
`;
