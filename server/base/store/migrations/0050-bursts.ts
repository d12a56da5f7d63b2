export const sql = `
-- What a message is about, so that one which still waits can be replaced by a later one, or dropped.
alter table messages add column about text;
create index messages_waiting on messages (workspace_id, about) where about is not null and due_at is not null;
`;
