export const sql = `
-- Lists by last change, and calendars by time, read one page along an index instead of sorting all posts.
create index posts_changed on posts (workspace_id, updated_at, id);
create index posts_timed on posts (workspace_id, scheduled_at, id) where scheduled_at is not null;
`;
