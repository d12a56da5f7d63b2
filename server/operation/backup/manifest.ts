import { z } from 'zod';
import { SettingError } from '#server/base/config/config';

export const manifestName = 'manifest.json';
export const secretsName = 'secrets.json';
export const tablePart = (name: string) => `tables/${name}.copy.gz`;
export const mediaPart = (key: string) => `media/${key}`;
export const mediaKey = (part: string) => /^media\/([\w.]+)$/.exec(part)?.[1];

/** Increased when older releases can no longer read the format. */
const format = 1;

const name = z.string().regex(/^[a-z_][a-z0-9_]*$/);
const count = z.number().int().min(0);

const Manifest = z.object({
  format: z.literal(format),
  /** The release that made it. */
  posthorn: z.string(),
  createdAt: z.string(),
  postgres: z.string(),
  /** The last migration of the database. */
  migration: z.object({ number: count, name: z.string() }),
  /** Earlier ones that waited for processes of an earlier release. */
  postponed: z.array(count).optional(),
  tables: z.array(z.object({ name, columns: z.array(name), rows: count })),
  media: z.object({
    files: count,
    bytes: count,
    /** Media files that have a row in the database but were missing from the media store. */
    missing: z.array(z.string()),
  }),
  /** True in a dump before a migration: the media stay where they are. */
  withoutMedia: z.boolean().optional(),
  contents: z
    .object({
      people: count,
      workspaces: count,
      posts: count,
      scheduled: count,
      publishing: count.optional(),
      accounts: count,
      files: count,
    })
    .optional(),
  /** The keys that encrypt secrets in the database: id, and a fingerprint that reveals nothing about the key. */
  keys: z.array(z.object({ id: z.string(), mark: z.string() })),
});
export type Manifest = z.output<typeof Manifest>;

export const writeManifest = (content: Omit<Manifest, 'format'>) =>
  `${JSON.stringify({ format, ...content } satisfies Manifest, null, 2)}\n`;

export const readManifest = (text: string, path: string): Manifest => {
  const manifest = parse(text, path);
  if (manifest.format !== format) {
    throw new SettingError(
      `${path} has the format ${manifest.format} of Posthorn ${manifest.posthorn}, and this one reads format ${format}. Install that release and restore with it.`,
    );
  }
  const result = Manifest.safeParse(manifest);
  if (!result.success) throw noBackup(path);
  return result.data;
};

const parse = (text: string, path: string): { format?: unknown; posthorn?: unknown } => {
  try {
    return Object(JSON.parse(text));
  } catch {
    throw noBackup(path);
  }
};

const noBackup = (path: string) =>
  new SettingError(`${path} is no backup of Posthorn: its manifest cannot be read. Nothing was changed.`);
