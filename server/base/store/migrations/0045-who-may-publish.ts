export const sql = `
-- editors: whoever may edit also publishes. approvers: owners, admins and the members who are named.
alter table workspaces add column publishers text not null default 'editors';
alter table members add column is_approver boolean not null default false;
-- Requested by the person in the app, not by an agent of theirs.
alter table approval_cards add column is_own boolean not null default false;
`;
