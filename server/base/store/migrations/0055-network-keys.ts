export const sql = `
-- Credentials of networks that the operator entered in the app. One row for networks that share them.
create table network_keys (
  -- The name of the first setting, such as X_CLIENT_ID.
  id text primary key,
  sealed_values text not null,
  updated_at timestamptz not null,
  updated_by text not null,
  -- When somebody first signed in at the network with them.
  worked_at timestamptz
);
`;
