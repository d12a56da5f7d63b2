import { type Database, sql } from '#server/base/store/database';
import { personName } from '#server/base/store/person-name';

export const reads = ['users', 'members'];

const isFresh = "seen_at > posthorn_now() - interval '1 minute'";

export interface OpenPost {
  readonly workspaceId: string;
  readonly postId: string;
}

const forgetStale = sql(
  'presence.forgetStale',
  `delete from post_presence where not (${isFresh}) returning workspace_id, post_id`,
);
const see = sql(
  'presence.see',
  `insert into post_presence (workspace_id, post_id, user_id, tab, seen_at) values ($1, $2, $3, $4, posthorn_now())
   on conflict (workspace_id, post_id, user_id, tab) do update set seen_at = excluded.seen_at
   returning xmax = 0 as is_new`,
);
const forget = sql(
  'presence.forget',
  'delete from post_presence where workspace_id = $1 and post_id = $2 and user_id = $3 and tab = $4 returning 1 as gone',
);
const people = sql(
  'presence.people',
  `select distinct u.id, ${personName('u')} as name from post_presence p
     join members m on m.workspace_id = p.workspace_id and m.user_id = p.user_id
     join users u on u.id = p.user_id
    where p.workspace_id = $1 and p.post_id = $2 and ${isFresh} order by name, id`,
);

export type PresenceStore = ReturnType<typeof createPresenceStore>;

export const createPresenceStore = (db: Database) => ({
  /** Returns the posts that they had open. */
  forgetStale: () => db.query(forgetStale),
  /** Returns whether this tab reports for the first time. */
  see: async ({ workspaceId, postId }: OpenPost, userId: string, tab: string) =>
    (await db.query(see, [workspaceId, postId, userId, tab]))[0]?.isNew ?? false,
  /** Returns whether the tab was known. */
  forget: async ({ workspaceId, postId }: OpenPost, userId: string, tab: string) =>
    (await db.query(forget, [workspaceId, postId, userId, tab])).length > 0,
  people: ({ workspaceId, postId }: OpenPost) => db.query(people, [workspaceId, postId]),
});
