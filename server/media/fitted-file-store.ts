import { type Database, type RowOf, sql } from '#server/base/store/database';
import { type FittedFileKey, keyColumns } from '#server/media/fits/store';
import type { FitMode } from '#server/networks/fit';
import type { FitRefusal } from './fit-video.ts';

/** A refusal has no file: it is empty. */
const fittedColumns = (r: string) => `${r}.id, ${r}.media_id, ${r}.mode, ${r}.target, ${r}.recipe, ${r}.refused,
  coalesce(${r}.mime_type, '') as mime_type, coalesce(${r}.bytes, 0) as bytes, coalesce(${r}.width, 0) as width,
  coalesce(${r}.height, 0) as height, ${r}.duration_ms, ${r}.video_codec, ${r}.audio_codec, ${r}.frame_rate,
  coalesce(${r}.sha256, '') as sha256, ${r}.created_at`;

interface FittedContent {
  readonly mode: FitMode;
  readonly refused: FitRefusal;
}

/** A fitted file, or the refusal of one that is not tried again. */
export type FittedFileRow = RowOf<typeof find>;
export type FinishedRow = Omit<FittedFileRow, 'refused'>;
/** The fitted file that an account gets instead of the original picture of the post. */
export type PostFileRow = RowOf<typeof ofPosts>;

type NewFittedFile = FittedFileKey & { readonly id: string; readonly recipe: number } & (
    | { readonly refused: FitRefusal }
    | (Omit<FinishedRow, 'createdAt'> & { readonly refused: null })
  );

const noFile = {
  mimeType: null,
  bytes: null,
  width: null,
  height: null,
  durationMs: null,
  videoCodec: null,
  audioCodec: null,
  frameRate: null,
  sha256: null,
};

const find = sql(
  'fittedFiles.find',
  `select ${fittedColumns('r')}
     from unnest($2::text[], $3::text[], $4::text[]) as request(media_id, mode, target)
     join renditions r on r.workspace_id = $1 and not r.lost
      and (r.media_id, r.mode, r.target, r.recipe) = (request.media_id, request.mode, request.target, $5)`,
).holds<FittedContent>();
const byId = sql(
  'fittedFiles.byId',
  `select ${fittedColumns('r')} from renditions r where workspace_id = $1 and id = any($2)`,
).holds<FittedContent>();
/** Searches all workspaces, because public addresses and file names do not contain the workspace. */
const anywhere = sql(
  'fittedFiles.anywhere',
  `select ${fittedColumns('r')} from renditions r where id = any($1)`,
).holds<FittedContent>();
const noOther = `not exists (select from renditions other
  where other.workspace_id = :workspaceId
    and (other.media_id, other.mode, other.target, other.recipe) = (:mediaId, :mode, :target, :recipe)
    and not other.lost and other.id <> :id)`;
/** A lost fitted file may come back. Another process may insert the same one first: on any unique index, that one wins. */
const insert = sql(
  'fittedFiles.insert',
  `with back as (update renditions set lost = false where workspace_id = :workspaceId and id = :id and lost and ${noOther})
   insert into renditions (id, media_id, mode, target, recipe, refused, mime_type, bytes, width, height, sha256, workspace_id,
                           duration_ms, video_codec, audio_codec, frame_rate)
   select :id, :mediaId, :mode, :target, :recipe, :refused, :mimeType, :bytes, :width, :height, :sha256, :workspaceId,
          :durationMs, :videoCodec, :audioCodec, :frameRate
    where exists (select from media where workspace_id = :workspaceId and id = :mediaId) and ${noOther}
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
  `select k.post_id, k.account_id, r.lost, ${fittedColumns('r')}
     from post_renditions k join renditions r on r.workspace_id = k.workspace_id and r.id = k.rendition_id
    where k.workspace_id = $1 and k.post_id = any($2)`,
).holds<FittedContent>();
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

export type FittedFileStore = ReturnType<typeof createFittedFileStore>;

export const createFittedFileStore = (db: Database) => ({
  /** Fitted files and refusals of this version of the fitting code. */
  find: (workspaceId: string, requests: readonly FittedFileKey[], recipe: number) =>
    db.query(find, [workspaceId, ...keyColumns(requests), recipe]),

  /** The ids that exist, in any workspace. */
  existing: async (ids: readonly string[]) => (await db.query(anywhere, [ids])).map(({ id }) => id),

  byId: async (workspaceId: string, ids: readonly string[]) =>
    (await db.query(byId, [workspaceId, ids])).filter(({ refused }) => refused === null),

  /** In any workspace: public addresses do not name one. */
  get: async (id: string) => (await db.query(anywhere, [[id]])).find(({ refused }) => refused === null),

  insert: (workspaceId: string, row: NewFittedFile) => db.run(insert, { ...noFile, ...row, workspaceId }),

  lose: (workspaceId: string, id: string) => db.run(lose, [workspaceId, id]),

  removeUnused: (before: Date) => db.run(removeUnused, [before]),

  ofPosts: (workspaceId: string, postIds: readonly string[]) => db.query(ofPosts, [workspaceId, postIds]),

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
