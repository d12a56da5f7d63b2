export const sql = `
create table webhooks (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  url text not null,
  events text[] not null,
  -- Sealed.
  secret text not null,
  -- Sealed: the one before a rotation, which signs too until then.
  old_secret text,
  old_secret_until timestamptz,
  given_up_in_a_row int not null default 0,
  paused_at timestamptz,
  pause_reason text,
  created_at timestamptz not null default posthorn_now()
);
-- Ids sort by creation time: after a move to a smaller plan the oldest keep working.
create index webhooks_oldest on webhooks (workspace_id, id);

create table deliveries (
  id text primary key,
  webhook_id text not null references webhooks on delete cascade,
  event_id text not null,
  type text not null,
  -- The bytes that are signed and sent, the same on every try.
  body text not null,
  state text not null default 'pending' check (state in ('pending', 'sending', 'delivered', 'failed')),
  attempts int not null default 0,
  last_answer text,
  tried_at timestamptz,
  -- When somebody has to look at it next; null when it has ended. Claiming moves it ahead by the lease.
  due_at timestamptz default posthorn_now(),
  claim uuid,
  created_at timestamptz not null default posthorn_now()
);
-- By webhook first: what one receiver keeps waiting is never read on the way to what is due for another.
create index deliveries_due on deliveries (webhook_id, due_at) where due_at is not null;
create index deliveries_newest on deliveries (webhook_id, id desc);
`;
