import { type Database, sql } from '#server/base/store/database';

const conversation = sql(
  'approvals.conversation',
  `insert into conversations (id, workspace_id, client, created_at) values ($1, $2, $3, $4)
   on conflict (workspace_id, client) do update set client = excluded.client returning id`,
);
const isEmpty = `not exists (
  select from approval_cards c where c.workspace_id = v.workspace_id and c.conversation_id = v.id)`;
const haveEmpty = sql(
  'approvals.haveEmptyConversations',
  `select distinct workspace_id from conversations v where ${isEmpty}`,
);
const removeEmpty = sql(
  'approvals.removeEmptyConversations',
  `delete from conversations v where workspace_id = $1 and ${isEmpty}`,
);

export type ConversationStore = ReturnType<typeof createConversationStore>;

export const createConversationStore = (db: Database) => ({
  conversation: async (id: string, workspaceId: string, client: string, at: Date) =>
    (await db.query(conversation, [id, workspaceId, client, at]))[0]?.id ?? id,

  /** Workspaces with a conversation that has no card. */
  haveEmptyConversations: async () => (await db.query(haveEmpty)).map(({ workspaceId }) => workspaceId),

  /** Call after `lockRequests`: otherwise a card that is being created could lose its conversation. */
  removeEmptyConversations: (workspaceId: string) => db.run(removeEmpty, [workspaceId]),
});
