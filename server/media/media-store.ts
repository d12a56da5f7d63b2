import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  Op,
  Transaction,
} from 'sequelize';
import type { ErrorBody } from '#contracts/errors';
import type { MediaKind } from '#contracts/media';
import type { Right } from '#server/access/auth/right';
import { bounds } from '#server/base/bounds';
import { type Database, sql } from '#server/base/store/database';
import { openModels } from '#server/base/store/models';
import { type FittedFileKey, keyColumns } from '#server/media/fits/store';
import type { FitRefusal } from './fit-video.ts';

export interface MediaRow {
  readonly id: string;
  readonly kind: MediaKind;
  readonly mimeType: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  readonly durationMs: number | null;
  /** Absent or null when unknown, for example for a video that was uploaded before Posthorn read codecs. */
  readonly videoCodec?: string | null;
  /** `none` without sound. */
  readonly audioCodec?: string | null;
  readonly frameRate?: number | null;
  readonly alt: string | null;
  readonly fileName: string | null;
  /** Of the bytes as they arrived; null for a file from before it was computed. */
  readonly sha256?: string | null;
  readonly createdAt: string;
}

export interface NewMedia extends Omit<MediaRow, 'createdAt'> {
  readonly workspaceId: string;
  readonly uploadedBy: string;
}

export interface MediaSearch {
  readonly kind?: MediaKind | undefined;
  readonly withoutAlt: boolean;
  /** Part of the file name or the alternative text; empty matches all. */
  readonly query: string;
  /** Empty for all. */
  readonly ids: readonly string[];
}

const { LOCK } = Transaction;

export const reads = ['approval_cards', 'posts'];

const lockContent = sql(
  'media.lockContent',
  `select pg_advisory_xact_lock(hashtextextended('media ' || $1 || ' ' || $2, 0))`,
  'locks',
);
const lockLibrary = sql(
  'media.lockLibrary',
  `select pg_advisory_xact_lock(hashtextextended('library ' || $1, 0))`,
  'locks',
);
const libraryBytes = sql(
  'media.libraryBytes',
  'select coalesce(sum(bytes), 0)::float8 as bytes from media where workspace_id = $1',
);
const withApprovedAlt = sql(
  'media.withApprovedAlt',
  `select media.id from unnest($2::text[]) as media (id)
    where exists (select from posts
                   where workspace_id = $1 and status in ('Scheduled', 'Publishing')
                     and versions @> jsonb_build_array(jsonb_build_object('content',
                           jsonb_build_array(jsonb_build_object('media', jsonb_build_array(media.id))))))
       or exists (select from approval_cards
                   where workspace_id = $1 and status = 'Open'
                     and subject -> 'media' @> jsonb_build_array(jsonb_build_object('id', media.id)))`,
);

const now = sql('media.now', 'select now() as now');

export type MediaStore = ReturnType<typeof createMediaStore>;

export const createMediaStore = (db: Database) => {
  class Media extends Model<InferAttributes<Media>, InferCreationAttributes<Media>> {
    declare id: string;
    declare workspaceId: string;
    declare kind: MediaKind;
    declare mimeType: string;
    declare bytes: number;
    declare width: number;
    declare height: number;
    declare durationMs: CreationOptional<number | null>;
    declare videoCodec: CreationOptional<string | null>;
    declare audioCodec: CreationOptional<string | null>;
    declare frameRate: CreationOptional<number | null>;
    declare alt: CreationOptional<string | null>;
    declare fileName: CreationOptional<string | null>;
    declare sha256: CreationOptional<string | null>;
    declare uploadedBy: CreationOptional<string | null>;
    declare createdAt: CreationOptional<string>;
  }
  Media.init(
    {
      id: { type: DataTypes.TEXT, primaryKey: true },
      workspaceId: DataTypes.TEXT,
      kind: DataTypes.TEXT,
      mimeType: DataTypes.TEXT,
      // pg gives bigint as text, which a file size does not need.
      bytes: {
        type: DataTypes.BIGINT,
        get() {
          return Number(this.getDataValue('bytes'));
        },
      },
      width: DataTypes.INTEGER,
      height: DataTypes.INTEGER,
      durationMs: DataTypes.INTEGER,
      videoCodec: DataTypes.TEXT,
      audioCodec: DataTypes.TEXT,
      frameRate: DataTypes.REAL,
      alt: DataTypes.TEXT,
      fileName: DataTypes.TEXT,
      sha256: DataTypes.TEXT,
      uploadedBy: DataTypes.TEXT,
      createdAt: DataTypes.DATE(6),
    },
    { sequelize: openModels(db), tableName: 'media', underscored: true, timestamps: false },
  );

  return {
    transaction: db.transaction,

    /** By the clock of the database, which all processes share. */
    now: async () => new Date((await db.query<{ now: string }>(now))[0]?.now ?? Number.NaN),

    /** Newest first, older than `before`. */
    search: async (
      workspaceId: string,
      { kind, withoutAlt, query, ids }: MediaSearch,
      limit: number,
      before: string | null,
    ): Promise<MediaRow[]> => {
      const like = { [Op.iLike]: `%${query.replace(/[\\%_]/g, '\\$&')}%` };
      return Media.findAll({
        where: {
          workspaceId,
          ...((before !== null || ids.length > 0) && {
            id: { ...(before !== null && { [Op.lt]: before }), ...(ids.length > 0 && { [Op.in]: [...ids] }) },
          }),
          // Documents have no alternative text.
          ...(withoutAlt && { alt: null, kind: { [Op.ne]: 'Document' } }),
          ...(kind !== undefined && { kind }),
          ...(query !== '' && { [Op.or]: [{ fileName: like }, { alt: like }] }),
        },
        order: [['id', 'DESC']],
        limit,
      });
    },

    find: async (workspaceId: string, ids: readonly string[]): Promise<MediaRow[]> =>
      Media.findAll({ where: { workspaceId, id: [...ids] } }),

    isInTransaction: db.isInTransaction,

    /** `SHARE` blocks deletion until the transaction ends, `UPDATE` also blocks a post from starting to use it. */
    lock: async (workspaceId: string, ids: readonly string[], lock: 'SHARE' | 'UPDATE'): Promise<MediaRow[]> =>
      Media.findAll({ where: { workspaceId, id: [...ids] }, order: ['id'], lock: LOCK[lock] }),

    /** In any workspace: public addresses do not name one. */
    get: async (id: string): Promise<MediaRow | null> => Media.findByPk(id),

    insert: async (
      { workspaceId, userId }: Right,
      row: Omit<NewMedia, 'workspaceId' | 'uploadedBy'>,
    ): Promise<MediaRow> => Media.create({ ...row, workspaceId, uploadedBy: userId }),

    /** Until the transaction ends, nobody else adds a file with these bytes by its address. */
    lockContent: async (workspaceId: string, sha256: string) => {
      await db.query(lockContent, [workspaceId, sha256]);
    },

    /** Until the transaction ends, nobody else adds a file to this library within its limit. */
    lockLibrary: async (workspaceId: string) => {
      await db.query(lockLibrary, [workspaceId]);
    },

    libraryBytes: async (workspaceId: string) =>
      (await db.query<{ bytes: number }>(libraryBytes, [workspaceId]))[0]?.bytes ?? 0,

    /** The oldest item with these bytes. */
    findContent: async (workspaceId: string, sha256: string): Promise<MediaRow | null> =>
      Media.findOne({ where: { workspaceId, sha256 }, order: ['id'] }),

    /** Those of the ids whose alternative text a person has approved, or is asked to approve. */
    withApprovedAlt: async (workspaceId: string, ids: readonly string[]): Promise<ReadonlySet<string>> =>
      new Set((await db.query<{ id: string }>(withApprovedAlt, [workspaceId, ids])).map(({ id }) => id)),

    setAlt: async (workspaceId: string, id: string, alt: string | null): Promise<MediaRow | undefined> => {
      const [, [row]] = await Media.update({ alt }, { where: { id, workspaceId }, returning: true });
      return row;
    },

    remove: async (workspaceId: string, id: string) => {
      await Media.destroy({ where: { id, workspaceId } });
    },

    /** The ids that exist, in any workspace. */
    existing: async (ids: readonly string[]): Promise<string[]> =>
      (await Media.findAll({ attributes: ['id'], where: { id: [...ids] } })).map(({ id }) => id),
  };
};

const isAddressUsed = sql(
  'uploadAddresses.isUsed',
  'select from used_upload_addresses where workspace_id = $1 and id = $2',
);
/** Waits for another transaction that uses the same address, so that two simultaneous uploads add one file. */
const markAddressUsed = sql(
  'uploadAddresses.use',
  `insert into used_upload_addresses (workspace_id, id, expires_at) values ($1, $2, $3)
   on conflict do nothing returning id`,
);
/** By the clock of the database, so that a process whose clock is ahead opens no address a second time. */
const purgeUsedAddresses = sql('uploadAddresses.purge', 'delete from used_upload_addresses where expires_at <= now()');

export type UploadAddressStore = ReturnType<typeof createUploadAddressStore>;

export const createUploadAddressStore = (db: Database) => ({
  transaction: db.transaction,

  isUsed: async (workspaceId: string, id: string) => (await db.query(isAddressUsed, [workspaceId, id])).length > 0,

  /** False if it was used before. */
  use: async (workspaceId: string, id: string, expiresAt: Date) =>
    (await db.query(markAddressUsed, [workspaceId, id, expiresAt])).length > 0,

  purge: () => db.run(purgeUsedAddresses),
});

/** A file that is arriving in several requests. */
export interface ResumableUpload {
  readonly id: string;
  readonly bytes: number;
  /** How many bytes are stored so far. */
  readonly received: number;
  /** Keys of the media store, in order. */
  readonly parts: readonly string[];
  readonly metadata: string;
  readonly alt: string | null;
  readonly fileName: string | null;
  readonly mediaId: string | null;
  readonly refusal: ErrorBody | null;
  readonly expiresAt: Date;
}

export interface NewResumableRow extends Pick<ResumableUpload, 'id' | 'bytes' | 'metadata' | 'alt' | 'fileName'> {
  readonly userId: string;
  readonly key: string | null;
}

const uploadColumns = `id, bytes::float8 as bytes, received::float8 as received, parts, metadata, alt, file_name as "fileName",
  media_id as "mediaId", refusal, expires_at as "expiresAt"`;
type ResumableRow = Omit<ResumableUpload, 'expiresAt'> & { readonly expiresAt: string };
/** Ages are by the clock of the database, so that a process whose clock is ahead ends nobody's upload. */
const isRunning = 'expires_at > now()';
const newExpiry = `now() + ${bounds.resumableUploadMs} * interval '1 ms'`;
const findUpload = sql(
  'resumableUploads.find',
  `select ${uploadColumns} from resumable_uploads
    where workspace_id = $1 and user_id = $2 and id = $3 and ${isRunning}`,
);
const findUploadByKey = sql(
  'resumableUploads.findByKey',
  `select ${uploadColumns} from resumable_uploads
    where workspace_id = $1 and user_id = $2 and idempotency_key = $3 and ${isRunning}`,
);
const removeExpiredUpload = sql(
  'resumableUploads.removeExpired',
  `delete from resumable_uploads
    where workspace_id = $1 and user_id = $2 and idempotency_key = $3 and not ${isRunning} returning parts`,
);
const lockUpload = sql(
  'resumableUploads.lock',
  `select ${uploadColumns} from resumable_uploads where workspace_id = $1 and id = $2 for update`,
  'locks',
);
const lockWorkspace = sql(
  'resumableUploads.lockWorkspace',
  `select pg_advisory_xact_lock(hashtextextended('uploads ' || $1, 0))`,
  'locks',
);
const openUploads = sql(
  'resumableUploads.open',
  `select count(*)::int as count, coalesce(sum(bytes), 0)::float8 as bytes from resumable_uploads
    where workspace_id = $1 and media_id is null and refusal is null and ${isRunning}`,
);
const promisedBytes = sql(
  'resumableUploads.promised',
  `select coalesce(sum(bytes - received), 0)::float8 as bytes from resumable_uploads
    where media_id is null and refusal is null and ${isRunning}`,
);
const insertUpload = sql(
  'resumableUploads.insert',
  `insert into resumable_uploads (workspace_id, id, user_id, idempotency_key, bytes, metadata, alt, file_name, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, ${newExpiry}) returning ${uploadColumns}`,
);
/** Counts a part only if it starts at the current offset, so that of two concurrent requests only one succeeds. */
const appendPart = sql(
  'resumableUploads.append',
  `update resumable_uploads set received = received + $4, parts = parts || $5::text, expires_at = ${newExpiry}
    where workspace_id = $1 and id = $2 and received = $3 returning id`,
);
const finishUpload = sql(
  'resumableUploads.finish',
  `update resumable_uploads set media_id = $3, parts = '{}' where workspace_id = $1 and id = $2`,
);
const refuseUpload = sql(
  'resumableUploads.refuse',
  `update resumable_uploads set refusal = $3, parts = '{}' where workspace_id = $1 and id = $2 and media_id is null`,
);
const removeUpload = sql(
  'resumableUploads.remove',
  'delete from resumable_uploads where workspace_id = $1 and id = $2',
);
const purgeUploads = sql(
  'resumableUploads.purge',
  `delete from resumable_uploads where not ${isRunning} returning parts`,
);
/** Searches all workspaces, because file names do not contain the workspace. */
const uploadsAnywhere = sql('resumableUploads.anywhere', 'select id from resumable_uploads where id = any($1)');

const toUpload = (row: ResumableRow): ResumableUpload => ({ ...row, expiresAt: new Date(row.expiresAt) });

export type ResumableStore = ReturnType<typeof createResumableStore>;

export const createResumableStore = (db: Database) => {
  const first = async (rows: Promise<ResumableRow[]>) => (await rows).map(toUpload)[0];
  return {
    transaction: db.transaction,

    find: (workspaceId: string, userId: string, id: string) =>
      first(db.query<ResumableRow>(findUpload, [workspaceId, userId, id])),

    findByKey: (workspaceId: string, userId: string, key: string) =>
      first(db.query<ResumableRow>(findUploadByKey, [workspaceId, userId, key])),

    /** So that the key can be used again before the expired upload is purged. */
    removeExpired: (workspaceId: string, userId: string, key: string) =>
      db.query<Pick<ResumableUpload, 'parts'>>(removeExpiredUpload, [workspaceId, userId, key]),

    lock: (workspaceId: string, id: string) => first(db.query<ResumableRow>(lockUpload, [workspaceId, id])),

    /** Until the transaction ends, nobody else begins an upload in this workspace. */
    lockWorkspace: async (workspaceId: string) => {
      await db.query(lockWorkspace, [workspaceId]);
    },

    open: async (workspaceId: string) =>
      (await db.query<{ count: number; bytes: number }>(openUploads, [workspaceId]))[0] ?? { count: 0, bytes: 0 },

    /** What unfinished uploads of all workspaces may still send. */
    promisedBytes: async () => (await db.query<{ bytes: number }>(promisedBytes))[0]?.bytes ?? 0,

    insert: async (workspaceId: string, row: NewResumableRow): Promise<ResumableUpload> => {
      const { id, userId, key, bytes, metadata, alt, fileName } = row;
      const upload = await first(
        db.query<ResumableRow>(insertUpload, [workspaceId, id, userId, key, bytes, metadata, alt, fileName]),
      );
      if (upload === undefined) throw new Error('an upload was not inserted');
      return upload;
    },

    /** False if another request has added a part since. */
    append: async (workspaceId: string, id: string, from: number, bytes: number, key: string) =>
      (await db.query(appendPart, [workspaceId, id, from, bytes, key])).length > 0,

    finish: (workspaceId: string, id: string, mediaId: string) => db.run(finishUpload, [workspaceId, id, mediaId]),

    refuse: (workspaceId: string, id: string, refusal: ErrorBody) =>
      db.run(refuseUpload, [workspaceId, id, JSON.stringify(refusal)]),

    remove: (workspaceId: string, id: string) => db.run(removeUpload, [workspaceId, id]),

    purge: () => db.query<Pick<ResumableUpload, 'parts'>>(purgeUploads),

    existing: async (ids: readonly string[]) =>
      (await db.query<{ id: string }>(uploadsAnywhere, [ids])).map(({ id }) => id),
  };
};

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
    (await db.query<FittedFileRow>(byId, [workspaceId, ids])).filter((row) => row.refused === null),

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
    const made = [mimeType, bytes, width, height, sha256, workspaceId, durationMs, videoCodec, audioCodec, frameRate];
    return db.run(insert, [row.id, row.mediaId, row.mode, row.target, row.recipe, row.refused, ...made]);
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
