import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Config, SettingError } from '#server/config';

const Secrets = z.object({
  /** Seals what is stored: `<key id>:<base64>`, newest first. */
  encryptionKeys: z.array(z.string().regex(/^\w+:[A-Za-z0-9+/=]{44}$/)).min(1),
});
export type Secrets = z.output<typeof Secrets>;

type SecretSettings = Pick<Config, 'dataDir' | 'encryptionKeys'>;

/** The secrets of this deployment: from the settings, or made on its first start and readable by its user alone. */
export const readSecrets = async ({ dataDir, encryptionKeys }: SecretSettings): Promise<Secrets> => {
  if (encryptionKeys) return { encryptionKeys: [...encryptionKeys] };
  const path = join(dataDir, 'secrets.json');
  const text = await readFile(path, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await create(dataDir, path);
    return readFile(path, 'utf8');
  });
  return parse(text, path);
};

const parse = (text: string, path: string) => {
  try {
    return Secrets.parse(JSON.parse(text));
  } catch {
    // The cause is left out: it may quote a secret.
    throw new SettingError(`${path} is damaged. Restore it from a backup: what was sealed with its keys needs them.`);
  }
};

/** Linked into place when complete: two first starts at once, or a crash, never leave half a file or two keys. */
const create = async (dataDir: string, path: string) => {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const secrets: Secrets = { encryptionKeys: [`k1:${randomBytes(32).toString('base64')}`] };
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
};
