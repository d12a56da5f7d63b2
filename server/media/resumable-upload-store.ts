import type { ErrorBody } from '#contracts/errors';
import { bounds } from '#server/base/bounds';
import { type Database, type RowOf, sql } from '#server/base/store/database';

/** A file that is arriving in several requests; `received` bytes are stored so far, `parts` are their keys in order. */
export type ResumableUpload = Omit<UploadRow, 'expiresAt'> & { readonly expiresAt: Date };

export interface NewResumableRow extends Pick<ResumableUpload, 'id' | 'bytes' | 'metadata' | 'alt' | 'fileName'> {
  readonly userId: string;
  readonly key: string | null;
}

const uploadColumns = `id, bytes::float8 as bytes, received::float8 as received, parts, metadata, alt, file_name,
  media_id, refusal, expires_at`;
type UploadRow = RowOf<typeof findUpload>;

interface UploadContent {
  readonly refusal: ErrorBody;
}

/** Ages are by the clock of the database, so that a process whose clock is ahead ends nobody's upload. */
const isRunning = 'expires_at > now()';
const newExpiry = `now() + ${bounds.resumableUploadMs} * interval '1 ms'`;
const findUpload = sql(
  'resumableUploads.find',
  `select ${uploadColumns} from resumable_uploads
    where workspace_id = $1 and user_id = $2 and id = $3 and ${isRunning}`,
).holds<UploadContent>();
const findUploadByKey = sql(
  'resumableUploads.findByKey',
  `select ${uploadColumns} from resumable_uploads
    where workspace_id = $1 and user_id = $2 and idempotency_key = $3 and ${isRunning}`,
).holds<UploadContent>();
const removeExpiredUpload = sql(
  'resumableUploads.removeExpired',
  `delete from resumable_uploads
    where workspace_id = $1 and user_id = $2 and idempotency_key = $3 and not ${isRunning} returning parts`,
);
const lockUpload = sql(
  'resumableUploads.lock',
  `select ${uploadColumns} from resumable_uploads where workspace_id = $1 and id = $2 for update`,
  'locks',
).holds<UploadContent>();
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
   values (:workspaceId, :id, :userId, :key, :bytes, :metadata, :alt, :fileName, ${newExpiry}) returning ${uploadColumns}`,
).holds<UploadContent>();
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

const toUpload = (row: UploadRow): ResumableUpload => ({ ...row, expiresAt: new Date(row.expiresAt) });

export type ResumableStore = ReturnType<typeof createResumableStore>;

export const createResumableStore = (db: Database) => {
  const first = async (rows: Promise<UploadRow[]>) => (await rows).map(toUpload)[0];
  return {
    transaction: db.transaction,

    find: (workspaceId: string, userId: string, id: string) => first(db.query(findUpload, [workspaceId, userId, id])),

    findByKey: (workspaceId: string, userId: string, key: string) =>
      first(db.query(findUploadByKey, [workspaceId, userId, key])),

    /** So that the key can be used again before the expired upload is purged. */
    removeExpired: (workspaceId: string, userId: string, key: string) =>
      db.query(removeExpiredUpload, [workspaceId, userId, key]),

    lock: (workspaceId: string, id: string) => first(db.query(lockUpload, [workspaceId, id])),

    /** Until the transaction ends, nobody else begins an upload in this workspace. */
    lockWorkspace: async (workspaceId: string) => {
      await db.query(lockWorkspace, [workspaceId]);
    },

    open: async (workspaceId: string) => (await db.query(openUploads, [workspaceId]))[0] ?? { count: 0, bytes: 0 },

    /** What unfinished uploads of all workspaces may still send. */
    promisedBytes: async () => (await db.query(promisedBytes))[0]?.bytes ?? 0,

    insert: async (workspaceId: string, row: NewResumableRow): Promise<ResumableUpload> => {
      const upload = await first(db.query(insertUpload, { ...row, workspaceId }));
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

    purge: () => db.query(purgeUploads),

    existing: async (ids: readonly string[]) => (await db.query(uploadsAnywhere, [ids])).map(({ id }) => id),
  };
};
