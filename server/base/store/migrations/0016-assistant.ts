export const sql = `
-- What people ask the assistant, and what it answers: one person's own, in one workspace.
create table chats (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  user_id text not null references users on delete cascade,
  title text not null,
  updated_at timestamptz not null
);
create index chats_of_person on chats (user_id, workspace_id, updated_at desc);

create table chat_messages (
  id text primary key,
  chat_id text not null references chats on delete cascade,
  -- The clock of the sandbox can be set back, so times give no order.
  place bigint generated always as identity,
  role text not null,
  -- JSON as text: a model may write characters that jsonb refuses.
  parts text not null,
  created_at timestamptz not null
);
create index chat_messages_of_chat on chat_messages (chat_id, place);
`;
