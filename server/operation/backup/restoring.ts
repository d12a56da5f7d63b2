import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { UploadedBackup } from '#contracts/backups';
import { type Config, SettingError } from '#server/base/config/config';
import { badInput, Refusal } from '#server/base/errors';
import { measureFreeBytes } from '#server/base/health/disk-space';
import { isSameSecret } from '#server/base/secrets/is-same-secret';
import { findSecrets, fingerprints, parseSecrets, type Secrets } from '#server/base/secrets/keys';
import { type OpenArchive, readArchive } from './archive.ts';
import { type Manifest, manifestName, readManifest, secretsName } from './manifest.ts';
import { inGigabytes, mustBeCompatible, mustFit } from './restore.ts';
import { nameFile, openStage, readRestoreProblem, stagedFile } from './staged-restore.ts';

/** Left free for the database while a backup is uploaded. */
const reserveBytes = 0.5e9;
/** An upload that nobody restores is removed after this time, because it takes disk space. */
const unusedMs = 3_600_000;

export interface RestoreRequest {
  /** These replace the keys in the data folder. */
  readonly keys: Secrets | undefined;
}

interface Upload {
  readonly ticket: string;
  readonly bytes: number;
  isReceiving: boolean;
  checked: { readonly manifest: Manifest; readonly enclosed: Secrets | undefined } | undefined;
}

export type Restoring = ReturnType<typeof createRestoring>;

/** Restore from the welcome page, while there is no user: upload a backup, look at it, restore it. */
export const createRestoring = ({
  config,
  isEmpty,
  mayRestore,
  freeBytes = measureFreeBytes,
}: {
  config: Config;
  isEmpty: () => Promise<boolean>;
  /** Whether the code of the first owner is right. */
  mayRestore: (code: string) => Promise<boolean>;
  freeBytes?: typeof measureFreeBytes;
}) => {
  let upload: Upload | undefined;
  let isRequested = false;
  let request: (request: RestoreRequest) => void = () => undefined;
  const requested = new Promise<RestoreRequest>((resolve) => {
    request = resolve;
  });
  const path = stagedFile(config);

  const mustBeUnused = async () => {
    if (!(await isEmpty())) {
      throw new Refusal('Forbidden', 'Somebody has signed up here. A backup is restored into an empty installation.');
    }
    if (isRequested) throw new Refusal('Conflict', 'A backup is being restored already. Wait until it is done.');
    if (config.role !== 'all' || config.webProcesses > 1) {
      throw new Refusal(
        'Conflict',
        'This Posthorn runs in several processes. Stop all of them, then run on the server: npx posthorn restore <file>',
      );
    }
  };

  const mustHaveUpload = (ticket: string) => {
    if (upload === undefined || !isSameSecret(ticket, upload.ticket)) {
      throw new Refusal('Conflict', 'This upload is no longer here. Choose the backup again.');
    }
    return upload;
  };

  const discard = async (one: Upload) => {
    if (upload !== one || isRequested) return;
    upload = undefined;
    await rm(path, { force: true });
  };

  return {
    /** Resolves when a person has confirmed. The process then stops the service and restores. */
    requested,

    read: async () => {
      const problem = (await isEmpty()) ? await readRestoreProblem(config) : undefined;
      return { isRunning: isRequested, ...(problem !== undefined && { problem }) };
    },

    prepare: async ({ code, bytes }: { code: string; bytes: number }) => {
      await mustBeUnused();
      if (!(await mayRestore(code))) {
        throw new Refusal(
          'Forbidden',
          'A restore needs the code that Posthorn printed when it started. Type it in, or run posthorn restore on the server.',
        );
      }
      if (upload?.isReceiving) throw new Refusal('Conflict', 'Another backup is being uploaded. Wait, then try again.');
      await openStage(config);
      const free = await freeBytes(config.dataDir);
      if (bytes + reserveBytes > free) {
        throw badInput({
          path: 'bytes',
          code: 'TooBig',
          message: `is more than fits: the file has ${inGigabytes(bytes)}, and ${inGigabytes(Math.max(0, free - reserveBytes))} can be used on the disk of the server. Make room there, or restore on a larger disk`,
          limit: Math.max(0, free - reserveBytes),
        });
      }
      upload = { ticket: randomBytes(18).toString('base64url'), bytes, isReceiving: false, checked: undefined };
      return { ticket: upload.ticket };
    },

    /** Streams the file to disk and checks all of it. */
    receive: async (ticket: string, bytes: number, file: Readable): Promise<UploadedBackup> => {
      await mustBeUnused();
      const one = mustHaveUpload(ticket);
      if (bytes !== one.bytes) {
        throw badInput({ path: 'Content-Length', code: 'Invalid', message: `must be ${one.bytes}, as prepared` });
      }
      if (one.isReceiving) throw new Refusal('Conflict', 'This backup is being uploaded already.');
      one.isReceiving = true;
      one.checked = undefined;
      try {
        await pipeline(file, createWriteStream(path, { mode: 0o600, flush: true }));
        const checked = await inspect(config, path, freeBytes);
        one.checked = checked;
        setTimeout(() => void discard(one).catch(() => undefined), unusedMs).unref();
        return { ...summarize(checked.manifest, bytes), needsKey: !(await canOpen(config, checked)) };
      } catch (error) {
        await discard(one);
        throw toRefusal(error, config);
      } finally {
        one.isReceiving = false;
      }
    },

    begin: async ({ ticket, keys: text }: { ticket: string; keys: string }) => {
      await mustBeUnused();
      const { checked } = mustHaveUpload(ticket);
      if (checked === undefined) throw new Refusal('Conflict', 'Upload the backup first.');
      const keys = await chooseKeys(config, checked, text);
      await mustBeUnused();
      isRequested = true;
      request({ keys });
      return { done: true } as const;
    },
  };
};

const inspect = async (config: Config, path: string, freeBytes: typeof measureFreeBytes) => {
  const archive = await readArchive(path, () => undefined);
  const manifest = readManifest(await archive.text(manifestName), path);
  mustBeCompatible(manifest, archive, path);
  await mustFit(config, manifest, archive, freeBytes);
  return { manifest, enclosed: await readEnclosed(archive, path) };
};

const readEnclosed = async (archive: OpenArchive, path: string) =>
  archive.names.includes(secretsName)
    ? parseSecrets(await archive.text(secretsName), `${path}: ${secretsName}`)
    : undefined;

const summarize = ({ posthorn, createdAt, contents, withoutMedia = false }: Manifest, bytes: number) => ({
  posthorn,
  createdAt,
  bytes,
  ...(contents && { contents }),
  withoutMedia,
});

type Checked = NonNullable<Upload['checked']>;

const fits = ({ keys }: Manifest, secrets: Secrets | undefined) => {
  const available = secrets ? fingerprints(secrets) : [];
  return keys.every(({ id, mark }) => available.some((key) => key.id === id && key.mark === mark));
};

const canOpen = async (config: Config, { manifest, enclosed }: Checked) =>
  fits(manifest, await findSecrets(config)) || (config.encryptionKeys === undefined && fits(manifest, enclosed));

/** Undefined when the keys of this server already fit. */
const chooseKeys = async (
  config: Config,
  { manifest, enclosed }: Checked,
  text: string,
): Promise<Secrets | undefined> => {
  if (fits(manifest, await findSecrets(config))) return undefined;
  const ids = manifest.keys.map(({ id }) => id).join(', ');
  if (config.encryptionKeys) {
    throw new Refusal(
      'Conflict',
      `The backup was encrypted with the key ${ids}, and ENCRYPTION_KEYS of this server is another one. Set ENCRYPTION_KEYS as it was, start again, and restore then. Nothing was changed.`,
    );
  }
  if (fits(manifest, enclosed)) return enclosed;
  const entry = text === '' ? undefined : parseKeys(text);
  if (fits(manifest, entry)) return entry;
  throw badInput({
    path: 'keys',
    code: entry ? 'Invalid' : 'Required',
    message: entry
      ? `is another key: the backup was encrypted with ${ids}. Take secrets.json of the data folder that the backup was made in. Nothing was changed`
      : `is needed: the backup was encrypted with the key ${ids}, which is not here`,
  });
};

const parseKeys = (text: string): Secrets => {
  const json = text.startsWith('{') ? text : JSON.stringify({ encryptionKeys: text.split(/[\s,]+/) });
  try {
    return parseSecrets(json, 'keys');
  } catch {
    throw badInput({
      path: 'keys',
      code: 'BadFormat',
      message: 'must be the content of secrets.json, or <key id>:<32 bytes in base64>',
    });
  }
};

const toRefusal = (error: unknown, config: Config) => {
  if (error instanceof SettingError) return new Refusal('BadInput', nameFile(error.message, config));
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new Refusal('BadInput', 'The disk of the server became full during the upload. Make room, then try again.');
  }
  if (code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET') {
    return new Refusal('BadInput', 'The upload ended before it was complete. Nothing was changed.');
  }
  return error;
};
