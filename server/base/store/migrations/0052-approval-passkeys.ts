export const sql = `
-- A yes counts only with a passkey.
alter table workspaces add column approval_passkey boolean not null default false;

-- What a person is about to confirm with a passkey: one assertion for all cards of a pass.
create table approval_confirmations (
  workspace_id text not null references workspaces on delete cascade,
  id text not null,
  user_id text not null references users on delete cascade,
  nonce text not null,
  -- Each with its content number and the person's edit, whose files are in the library.
  cards jsonb not null,
  -- SHA-256 of the assertion that was accepted: the other cards take the same one.
  assertion bytea,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);
create index approval_confirmations_old on approval_confirmations (created_at);
`;
