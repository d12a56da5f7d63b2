import { type Database, sql } from '#server/store/database';

const insert = sql(
  'events.insert',
  `insert into events (id, workspace_id, type, data)
   select id, workspace_id, type, data
     from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[]) as event(id, workspace_id, type, data)`,
);

export type EventStore = ReturnType<typeof createEventStore>;

export const createEventStore = (db: Database) => ({
  insert: async (events: readonly { id: string; workspaceId: string; type: string; data: unknown }[]) => {
    await db.run(insert, [
      events.map(({ id }) => id),
      events.map(({ workspaceId }) => workspaceId),
      events.map(({ type }) => type),
      events.map(({ data }) => JSON.stringify(data)),
    ]);
  },
});
