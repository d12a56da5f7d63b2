import { createHmac, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Config, SettingError } from '#server/base/config/config';
import { toSettingError } from '#server/base/store/setting-error';
import { createSeal } from './seal.ts';

const Secrets = z.object({
  /** `<key id>:<base64>`, newest first. */
  encryptionKeys: z.array(z.string().regex(/^\w+:[A-Za-z0-9+/=]{44}$/)).min(1),
});
export type Secrets = z.output<typeof Secrets>;

type SecretSettings = Pick<Config, 'dataDir' | 'encryptionKeys'>;

/** From the settings, or generated at the first start into a file that only the service's user can read. */
export const readSecrets = async (settings: SecretSettings): Promise<Secrets> => {
  const existing = await findSecrets(settings);
  if (existing) return existing;
  const first = { encryptionKeys: [`k1:${randomBytes(32).toString('base64')}`] };
  await keepSecrets(settings, first).catch(toSettingError('The data folder cannot be used'));
  return readSecrets(settings);
};

/** A seal with the existing keys; undefined before the first start. */
export const findSeal = async (settings: SecretSettings) => {
  const secrets = await findSecrets(settings).catch(toSettingError('The data folder cannot be used'));
  return secrets && createSeal(secrets.encryptionKeys);
};

/** Undefined before the first start. */
export const findSecrets = async (settings: SecretSettings): Promise<Secrets | undefined> => {
  if (settings.encryptionKeys) return { encryptionKeys: [...settings.encryptionKeys] };
  const path = secretsFile(settings);
  try {
    return parseSecrets(await readFile(path, 'utf8'), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

export const secretsFile = ({ dataDir }: SecretSettings) => join(dataDir, 'secrets.json');

export interface Fingerprint {
  readonly id: string;
  readonly mark: string;
}

/** Distinguishes keys of the same name without revealing them. */
export const fingerprints = ({ encryptionKeys }: Secrets): Fingerprint[] =>
  encryptionKeys.map((key) => {
    const [id = '', bytes = ''] = key.split(':');
    const mark = createHmac('sha256', Buffer.from(bytes, 'base64')).update('posthorn').digest('hex').slice(0, 16);
    return { id, mark };
  });

export const parseSecrets = (text: string, path: string) => {
  try {
    return Secrets.parse(JSON.parse(text));
  } catch {
    // The cause is left out: it may quote a secret.
    throw new SettingError(`${path} is damaged. Restore it from a backup: what was sealed with its keys needs them.`);
  }
};

/**
 * Writes a temporary file and links it into place, so that a crash or two concurrent first starts leave neither half a
 * file nor two keys.
 */
export const keepSecrets = async (settings: SecretSettings, secrets: Secrets) => {
  const path = secretsFile(settings);
  await mkdir(settings.dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
};
