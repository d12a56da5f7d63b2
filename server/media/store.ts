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
import type { Database } from '#server/store/database';

export interface MediaRow {
  readonly id: string;
  readonly kind: MediaKind;
  readonly mimeType: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  readonly durationMs: number | null;
  readonly alt: string | null;
  readonly fileName: string | null;
  readonly createdAt: string;
}

export interface NewMedia extends Omit<MediaRow, 'createdAt'> {
  readonly workspaceId: string;
  readonly uploadedBy: string;
}

export interface MediaSearch {
  readonly kind?: MediaKind | undefined;
  readonly withoutAlt: boolean;
  /** Of the name or the alternative text; empty for all. */
  readonly query: string;
  /** Empty for all. */
  readonly ids: readonly string[];
}

const { LOCK } = Transaction;

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
    declare alt: CreationOptional<string | null>;
    declare fileName: CreationOptional<string | null>;
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
      alt: DataTypes.TEXT,
      fileName: DataTypes.TEXT,
      uploadedBy: DataTypes.TEXT,
      createdAt: DataTypes.DATE(6),
    },
    { sequelize: db.sequelize, tableName: 'media', underscored: true, timestamps: false },
  );

  return {
    transaction: db.transaction,

    /** Newest first, older than `before`. */
    list: async (workspaceId: string, limit: number, before: string | null): Promise<MediaRow[]> =>
      Media.findAll({
        where: { workspaceId, ...(before !== null && { id: { [Op.lt]: before } }) },
        order: [['id', 'DESC']],
        limit,
      }),

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
          // A document has none to miss.
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

    /** Inside a transaction: `SHARE` keeps them from being deleted until it ends, `UPDATE` also from being taken into use. */
    lock: async (workspaceId: string, ids: readonly string[], lock: 'SHARE' | 'UPDATE'): Promise<MediaRow[]> =>
      Media.findAll({ where: { workspaceId, id: [...ids] }, order: ['id'], lock: LOCK[lock] }),

    /** In whatever workspace it is. */
    get: async (id: string): Promise<MediaRow | null> => Media.findByPk(id),

    insert: async (row: NewMedia): Promise<MediaRow> => Media.create(row),

    setAlt: async (workspaceId: string, id: string, alt: string | null): Promise<MediaRow | undefined> => {
      const [, [row]] = await Media.update({ alt }, { where: { id, workspaceId }, returning: true });
      return row;
    },

    remove: async (workspaceId: string, id: string) => {
      await Media.destroy({ where: { id, workspaceId } });
    },

    /** Those of the ids that are in the library of any workspace. */
    known: async (ids: readonly string[]): Promise<string[]> =>
      (await Media.findAll({ attributes: ['id'], where: { id: [...ids] } })).map(({ id }) => id),
  };
};
