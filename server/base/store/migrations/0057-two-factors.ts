export const sql = `
-- Members need a second factor.
alter table workspaces add column two_factors boolean not null default false;
`;
