export const sql = `
-- The log of decisions. No reference to people or cards: it outlives both.
create table receipts (
  workspace_id text not null references workspaces on delete cascade,
  number integer not null,
  kind text not null check (kind in ('Approved', 'Rejected', 'Ended')),
  card_id text,
  post_id text,
  -- The text that is signed, byte for byte.
  body text not null,
  hash text not null,
  key_id text not null,
  signature text not null,
  primary key (workspace_id, number)
);
create index receipts_card on receipts (workspace_id, card_id) where card_id is not null;
create index receipts_post on receipts (workspace_id, post_id, number) where post_id is not null;

create table receipt_keys (
  id text primary key,
  public_key text not null,
  sealed_private_key text not null,
  created_at timestamptz not null
);

-- How the person of a session proved who they are; empty for sessions from before.
alter table sessions add column means text[] not null default '{}';
`;
