export const sql = `
-- Null: about no workspace, or written by the release before.
alter table messages add column workspace_id text;
-- A hash of the address a mail goes to: there may be no user yet.
alter table messages add column recipient bytea;
create index messages_recipient on messages (recipient, purpose, created_at) where recipient is not null;
`;
