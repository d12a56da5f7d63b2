export const sql = `
-- Apart from the columns: while rows are written, others read and write the tables.
update chat_messages r set workspace_id = o.workspace_id from chats o where o.id = r.chat_id and r.workspace_id is null;
update deliveries r set workspace_id = o.workspace_id from webhooks o where o.id = r.webhook_id and r.workspace_id is null;
update import_media r set workspace_id = o.workspace_id from imports o where o.id = r.import_id and r.workspace_id is null;
update import_rows r set workspace_id = o.workspace_id from imports o where o.id = r.import_id and r.workspace_id is null;
update link_cards r set workspace_id = o.workspace_id from posts o where o.id = r.post_id and r.workspace_id is null;
update metric_reads r set workspace_id = o.workspace_id from posts o where o.id = r.post_id and r.workspace_id is null;
update notification_reads r set workspace_id = o.workspace_id from notifications o
 where o.id = r.notification_id and r.workspace_id is null;
update post_history r set workspace_id = o.workspace_id from posts o where o.id = r.post_id and r.workspace_id is null;
update post_labels r set workspace_id = o.workspace_id from posts o where o.id = r.post_id and r.workspace_id is null;
update post_renditions r set workspace_id = o.workspace_id from posts o where o.id = r.post_id and r.workspace_id is null;
update renditions r set workspace_id = o.workspace_id from media o where o.id = r.media_id and r.workspace_id is null;
`;
