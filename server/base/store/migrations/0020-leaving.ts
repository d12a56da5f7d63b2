export const sql = `
alter table workspaces
  -- When everything in it is removed; its owner can take that back until then.
  add column delete_at timestamptz,
  add column delete_asked_by text references users on delete set null;
create index workspaces_delete_at on workspaces (delete_at) where delete_at is not null;

alter table one_time_secrets
  drop constraint one_time_secrets_purpose_check,
  add constraint one_time_secrets_purpose_check check (purpose in ('sign-in', 'first-owner', 'password'));
`;
