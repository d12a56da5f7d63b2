export const sql = `
-- As it was called on the machine it came from; only people read it.
alter table media add column file_name text;
alter table media add column uploaded_by text references users on delete set null;
-- Whether a post uses a file is asked before that is deleted.
create index posts_versions on posts using gin (versions jsonb_path_ops);
`;
