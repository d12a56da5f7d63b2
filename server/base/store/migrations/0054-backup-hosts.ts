export const sql = `
-- The machine that has the file: with several machines each has a folder of its own. Null for older rows.
alter table backups add column host text;
`;
