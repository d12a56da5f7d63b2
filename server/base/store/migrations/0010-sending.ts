export const sql = `
alter table sends
  -- When whoever began the call said how it went. Null while nobody has: they may have been stopped before it left.
  add column heard_at timestamptz,
  -- 'may': the network answered that it is not available, so it may be sent again with the same key. 'done': it was.
  add column repeat text check (repeat in ('may', 'done'));

-- Given again byte for byte.
alter table idempotent_answers alter column answer type text;
`;
