import { type Database, sql } from '#server/base/store/database';

type MessageRole = 'user' | 'assistant';

const list = sql(
  'assistant.list',
  `select id, title, updated_at from chats where user_id = $1 and workspace_id = $2
    order by updated_at desc, id desc limit $3`,
);
const get = sql(
  'assistant.get',
  'select id, title, updated_at from chats where id = $1 and user_id = $2 and workspace_id = $3',
);
const insert = sql(
  'assistant.insert',
  'insert into chats (id, workspace_id, user_id, title, updated_at) values ($1, $2, $3, $4, $5)',
);
const touch = sql('assistant.touch', 'update chats set updated_at = $3 where workspace_id = $1 and id = $2');
const remove = sql('assistant.remove', 'delete from chats where id = $1 and user_id = $2 and workspace_id = $3');
const removeOldest = sql(
  'assistant.removeOldest',
  `delete from chats where workspace_id = $2 and id in
     (select id from chats where user_id = $1 and workspace_id = $2 order by updated_at desc, id desc offset $3)`,
);
const purge = sql('assistant.purge', 'delete from chats where updated_at < $1');
const countMessages = sql(
  'assistant.countMessages',
  'select count(*)::int as count from chat_messages where workspace_id = $1 and chat_id = $2',
);
/** The newest messages, up to $3 bytes. */
const messages = sql(
  'assistant.messages',
  `select id, role, parts
     from (select *, sum(octet_length(parts)) over
                     (order by place desc rows between unbounded preceding and 1 preceding) as bytes_before
             from chat_messages where workspace_id = $1 and chat_id = $2) one
    where bytes_before is null or bytes_before < $3 order by place`,
).holds<{ role: MessageRole }>();
/** Does nothing if the chat was deleted meanwhile. */
const save = sql(
  'assistant.save',
  `insert into chat_messages (workspace_id, id, chat_id, role, parts, created_at)
   select workspace_id, :id, id, :role, :parts, :at from chats where workspace_id = :workspaceId and id = :chatId for key share
   on conflict (workspace_id, id) do update set parts = excluded.parts`,
);

const forgetPerson = sql('assistant.forgetPerson', 'delete from chats where user_id = $1');

const until = `clock_timestamp() + interval '1 ms' * $3::int`;
/** Does nothing while another holder has the lease. */
const takeTurn = sql(
  'assistant.takeTurn',
  `insert into assistant_turns as t (user_id, holder, until) values ($1, $2, ${until})
   on conflict (user_id) do update set holder = excluded.holder, until = excluded.until
    where t.until < clock_timestamp()`,
);
const extendTurn = sql(
  'assistant.extendTurn',
  `update assistant_turns set until = ${until} where user_id = $1 and holder = $2`,
);
const endTurn = sql('assistant.endTurn', 'delete from assistant_turns where user_id = $1 and holder = $2');

export type TurnStore = ReturnType<typeof createTurnStore>;

/** Leases run on the wall clock, which the sandbox does not move. */
export const createTurnStore = (db: Database) => ({
  takeTurn: async (userId: string, holder: string, leaseMs: number) =>
    (await db.run(takeTurn, [userId, holder, leaseMs])) > 0,
  extendTurn: async (userId: string, holder: string, leaseMs: number) =>
    (await db.run(extendTurn, [userId, holder, leaseMs])) > 0,
  endTurn: (userId: string, holder: string) => db.run(endTurn, [userId, holder]),
});

export type ChatStore = ReturnType<typeof createChatStore>;

export const createChatStore = (db: Database) => ({
  transaction: db.transaction,
  list: (userId: string, workspaceId: string, limit: number) => db.query(list, [userId, workspaceId, limit]),
  get: async (id: string, userId: string, workspaceId: string) => (await db.query(get, [id, userId, workspaceId]))[0],
  insert: (id: string, workspaceId: string, userId: string, title: string, at: Date) =>
    db.run(insert, [id, workspaceId, userId, title, at]),
  touch: (workspaceId: string, id: string, at: Date) => db.run(touch, [workspaceId, id, at]),
  remove: (id: string, userId: string, workspaceId: string) => db.run(remove, [id, userId, workspaceId]),
  removeOldest: (userId: string, workspaceId: string, maxChats: number) =>
    db.run(removeOldest, [userId, workspaceId, maxChats]),
  /** In all workspaces. */
  forgetPerson: (userId: string) => db.run(forgetPerson, [userId]),
  purge: (before: Date) => db.run(purge, [before]),
  countMessages: async (workspaceId: string, chatId: string) =>
    (await db.query(countMessages, [workspaceId, chatId]))[0]?.count ?? 0,
  messages: (workspaceId: string, chatId: string, bytes: number) => db.query(messages, [workspaceId, chatId, bytes]),
  save: (workspaceId: string, chatId: string, id: string, role: MessageRole, parts: string, at: Date) =>
    db.run(save, { workspaceId, chatId, id, role, parts, at }),
});
