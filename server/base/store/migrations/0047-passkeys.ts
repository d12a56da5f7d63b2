export const sql = `
create table passkeys (
  id text primary key,
  user_id text not null references users on delete cascade,
  credential_id text not null unique,
  public_key bytea not null,
  -- Of the authenticator, if it counts.
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_user on passkeys (user_id);

-- Each works once. Without a user: for a sign-in.
create table passkey_challenges (
  challenge text primary key,
  user_id text references users on delete cascade,
  expires_at timestamptz not null
);
create index passkey_challenges_old on passkey_challenges (expires_at);
`;
