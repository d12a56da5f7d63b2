import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  Op,
  Transaction,
} from 'sequelize';
import type { MediaKind } from '#contracts/media';
import type { Right } from '#server/access/auth/right';
import { type Database, sql } from '#server/base/store/database';
import { openModels } from '#server/base/store/models';

export const reads = ['approval_cards', 'posts'];

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
    now: async () => new Date((await db.query(now))[0]?.now ?? Number.NaN),

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

    libraryBytes: async (workspaceId: string) => (await db.query(libraryBytes, [workspaceId]))[0]?.bytes ?? 0,

    /** The oldest item with these bytes. */
    findContent: async (workspaceId: string, sha256: string): Promise<MediaRow | null> =>
      Media.findOne({ where: { workspaceId, sha256 }, order: ['id'] }),

    /** Those of the ids whose alternative text a person has approved, or is asked to approve. */
    withApprovedAlt: async (workspaceId: string, ids: readonly string[]) =>
      new Set((await db.query(withApprovedAlt, [workspaceId, ids])).map(({ id }) => id)),

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
