import { type Database, sql } from '#server/base/store/database';
import { type FittedFileKey, keyColumns } from '#server/media/fits/store';
import type { FitRefusal } from './fit-video.ts';

/** A finished fitted file. */
export interface FinishedRow extends FittedFileKey {
  readonly id: string;
  readonly recipe: number;
  readonly refused: null;
  readonly mimeType: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  readonly durationMs: number | null;
  readonly videoCodec: string | null;
  readonly audioCodec: string | null;
  readonly frameRate: number | null;
  readonly sha256: string;
  readonly createdAt: string;
}

/** The picture cannot be fitted; it is not tried again. */
interface RefusedRow extends FittedFileKey {
  readonly id: string;
  readonly recipe: number;
  readonly refused: FitRefusal;
}

export type FittedFileRow = FinishedRow | RefusedRow;

const fittedColumns = (r: string) => `${r}.id, ${r}.media_id as "mediaId", ${r}.mode, ${r}.target, ${r}.recipe,
  ${r}.refused, ${r}.mime_type as "mimeType", ${r}.bytes, ${r}.width, ${r}.height, ${r}.duration_ms as "durationMs",
  ${r}.video_codec as "videoCodec", ${r}.audio_codec as "audioCodec", ${r}.frame_rate as "frameRate", ${r}.sha256, ${r}.created_at as "createdAt"`;

const find = sql(
  'fittedFiles.find',
  `select ${fittedColumns('r')}
     from unnest($2::text[], $3::text[], $4::text[]) as request(media_id, mode, target)
     join renditions r on r.workspace_id = $1 and not r.lost
      and (r.media_id, r.mode, r.target, r.recipe) = (request.media_id, request.mode, request.target, $5)`,
);
const byId = sql(
  'fittedFiles.byId',
  `select ${fittedColumns('r')} from renditions r where workspace_id = $1 and id = any($2)`,
);
/** Searches all workspaces, because public addresses and file names do not contain the workspace. */
const anywhere = sql('fittedFiles.anywhere', `select ${fittedColumns('r')} from renditions r where id = any($1)`);
const noOther = `not exists (select from renditions other
  where other.workspace_id = $12 and (other.media_id, other.mode, other.target, other.recipe) = ($2, $3, $4, $5)
    and not other.lost and other.id <> $1)`;
/** A lost fitted file may come back. Another process may insert the same one first: on any unique index, that one wins. */
const insert = sql(
  'fittedFiles.insert',
  `with back as (update renditions set lost = false where workspace_id = $12 and id = $1 and lost and ${noOther})
   insert into renditions (id, media_id, mode, target, recipe, refused, mime_type, bytes, width, height, sha256, workspace_id,
                           duration_ms, video_codec, audio_codec, frame_rate)
   select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16
    where exists (select from media where workspace_id = $12 and id = $2) and ${noOther}
   on conflict do nothing`,
);
const lose = sql('fittedFiles.lose', 'update renditions set lost = true where workspace_id = $1 and id = $2');
const removeUnused = sql(
  'fittedFiles.removeUnused',
  `delete from renditions r where created_at < $1 and not exists (
     select from post_renditions k where k.workspace_id = r.workspace_id and k.rendition_id = r.id)`,
);

const ofPosts = sql(
  'fittedFiles.ofPosts',
  `select k.post_id as "postId", k.account_id as "accountId", r.lost, ${fittedColumns('r')}
     from post_renditions k join renditions r on r.workspace_id = k.workspace_id and r.id = k.rendition_id
    where k.workspace_id = $1 and k.post_id = any($2)`,
);
/** Replaces the fitted files of the post. */
const keepForPost = sql(
  'fittedFiles.keepForPost',
  `with chosen as (select account_id, media_id, rendition_id
                   from jsonb_to_recordset($3) as one(account_id text, media_id text, rendition_id text)),
        removed as (delete from post_renditions where workspace_id = $1 and post_id = $2
                    and (account_id, media_id) not in (select account_id, media_id from chosen))
   insert into post_renditions (workspace_id, post_id, account_id, media_id, rendition_id)
   select $1, $2, account_id, media_id, rendition_id from chosen
   on conflict (workspace_id, post_id, account_id, media_id) do update set rendition_id = excluded.rendition_id`,
);

/** The fitted file that an account gets instead of the original picture of the post. */
export interface PostFileRow extends FinishedRow {
  readonly postId: string;
  readonly accountId: string;
  readonly lost: boolean;
}

export type FittedFileStore = ReturnType<typeof createFittedFileStore>;

export const createFittedFileStore = (db: Database) => ({
  /** For slow work, and for work that several callers wait for. */

  /** Fitted files and refusals of this version of the fitting code. */
  find: (workspaceId: string, requests: readonly FittedFileKey[], recipe: number) =>
    db.query<FittedFileRow>(find, [workspaceId, ...keyColumns(requests), recipe]),

  /** The ids that exist, in any workspace. */
  existing: async (ids: readonly string[]) => (await db.query<{ id: string }>(anywhere, [ids])).map(({ id }) => id),

  byId: async (workspaceId: string, ids: readonly string[]) =>
    (await db.query<FittedFileRow>(byId, [workspaceId, ids])).filter((row): row is FinishedRow => row.refused === null),

  /** In any workspace: public addresses do not name one. */
  get: async (id: string) =>
    (await db.query<FittedFileRow>(anywhere, [[id]])).find((row): row is FinishedRow => row.refused === null),

  insert: (workspaceId: string, row: Omit<FinishedRow, 'createdAt'> | RefusedRow) => {
    const {
      mimeType = null,
      bytes = null,
      width = null,
      height = null,
      sha256 = null,
      durationMs = null,
      videoCodec = null,
      audioCodec = null,
      frameRate = null,
    } = row.refused === null ? row : {};
    const key = [row.id, row.mediaId, row.mode, row.target, row.recipe, row.refused] as const;
    const file = [mimeType, bytes, width, height, sha256] as const;
    return db.run(insert, [...key, ...file, workspaceId, durationMs, videoCodec, audioCodec, frameRate]);
  },

  lose: (workspaceId: string, id: string) => db.run(lose, [workspaceId, id]),

  removeUnused: (before: Date) => db.run(removeUnused, [before]),

  ofPosts: (workspaceId: string, postIds: readonly string[]) => db.query<PostFileRow>(ofPosts, [workspaceId, postIds]),

  keepForPost: async (
    workspaceId: string,
    postId: string,
    fittedFiles: readonly { readonly accountId: string; readonly mediaId: string; readonly fittedId: string }[],
  ) => {
    const rows = fittedFiles.map(({ accountId, mediaId, fittedId }) => ({
      account_id: accountId,
      media_id: mediaId,
      rendition_id: fittedId,
    }));
    await db.run(keepForPost, [workspaceId, postId, JSON.stringify(rows)]);
  },
});
