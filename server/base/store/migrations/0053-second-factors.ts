export const sql = `
-- Codes from an app (TOTP). Not confirmed: the person is setting it up.
create table totp_factors (
  user_id text primary key references users on delete cascade,
  sealed_secret text not null,
  confirmed_at timestamptz,
  -- Of the last code that was accepted: each works once.
  last_step bigint not null default 0
);
-- Each works once, in place of another factor.
create table recovery_codes (
  user_id text not null references users on delete cascade,
  hash bytea not null,
  primary key (user_id, hash)
);
-- Somebody who gave a password or a link and not yet the second factor. It is no session.
create table pending_sign_ins (
  hash bytea primary key,
  user_id text not null references users on delete cascade,
  means text[] not null,
  by_link boolean not null,
  user_agent text not null,
  tries int not null default 0,
  expires_at timestamptz not null
);
create index pending_sign_ins_old on pending_sign_ins (expires_at);
`;
