import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  Op,
} from 'sequelize';
import type { Database } from '#server/store/database';

export interface MediaRow {
  readonly id: string;
  readonly kind: 'Image' | 'Video';
  readonly mimeType: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  readonly durationMs: number | null;
  readonly alt: string | null;
  readonly createdAt: string;
}

export type MediaStore = ReturnType<typeof createMediaStore>;

export const createMediaStore = (db: Database) => {
  class Media extends Model<InferAttributes<Media>, InferCreationAttributes<Media>> {
    declare id: string;
    declare workspaceId: string;
    declare kind: 'Image' | 'Video';
    declare mimeType: string;
    declare bytes: number;
    declare width: number;
    declare height: number;
    declare durationMs: CreationOptional<number | null>;
    declare alt: CreationOptional<string | null>;
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
      createdAt: DataTypes.DATE(6),
    },
    { sequelize: db.sequelize, tableName: 'media', underscored: true, timestamps: false },
  );

  return {
    /** Newest first, from below `before`. */
    list: async (workspaceId: string, limit: number, before: string | null): Promise<MediaRow[]> =>
      Media.findAll({
        where: { workspaceId, ...(before !== null && { id: { [Op.lt]: before } }) },
        order: [['id', 'DESC']],
        limit,
      }),

    find: async (workspaceId: string, ids: readonly string[]): Promise<MediaRow[]> =>
      Media.findAll({ where: { workspaceId, id: [...ids] } }),
  };
};
