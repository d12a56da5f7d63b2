import { type Database, sql } from '#server/base/store/database';

/** SQL: `versions` use the file in an item, or as the value of one of these options. Each alternative is an index scan. */
const usesOf = (mediaId: string, optionKeys: string) => `versions @> any(
  array(select jsonb_build_array(jsonb_build_object('options', jsonb_build_object(key, ${mediaId})))
          from unnest(${optionKeys}::text[]) as key)
  || jsonb_build_array(jsonb_build_object('content', jsonb_build_array(jsonb_build_object('media',
       jsonb_build_array(${mediaId}))))))`;

const usesMedia = sql(
  'posts.usesMedia',
  `select 1 from posts where workspace_id = $1 and ${usesOf('$2::text', '$3')} limit 1`,
);
const isMediaScheduled = sql(
  'posts.isMediaScheduled',
  `select 1 from posts where workspace_id = $1 and status in ('Scheduled', 'Publishing') and ${usesOf('$2::text', '$3')} limit 1`,
);
const mediaUses = sql(
  'posts.mediaUses',
  `select media.id, uses.count from unnest($2::text[]) as media (id) cross join lateral (
     select count(*)::int as count from posts where workspace_id = $1 and ${usesOf('media.id', '$3')}) as uses
    where media.id is not null`,
);

export type MediaUseStore = ReturnType<typeof createMediaUseStore>;

export const createMediaUseStore = (db: Database) => ({
  usesMedia: async (workspaceId: string, mediaId: string, optionKeys: readonly string[]) =>
    (await db.query(usesMedia, [workspaceId, mediaId, optionKeys])).length > 0,

  isMediaScheduled: async (workspaceId: string, mediaId: string, optionKeys: readonly string[]) =>
    (await db.query(isMediaScheduled, [workspaceId, mediaId, optionKeys])).length > 0,

  /** How many posts use each file. */
  mediaUses: async (workspaceId: string, mediaIds: readonly string[], optionKeys: readonly string[]) =>
    new Map((await db.query(mediaUses, [workspaceId, mediaIds, optionKeys])).map(({ id, count }) => [id, count])),
});
