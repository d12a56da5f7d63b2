import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { SettingError } from '#server/base/config/config';

const cipher = 'aes-256-gcm';
const ivBytes = 12;
// Node's default accepts authentication tags as short as four bytes.
const options = { authTagLength: 16 };

/** Encrypts stored secrets, so that a copy of the database alone reveals nothing. */
export interface Seal {
  /** `place` is `table:id:column` and is authenticated, so that a sealed text cannot be copied to another row. */
  seal(text: string, place: string): string;
  open(sealed: string, place: string): string;
  /** The newest, which seals, first. */
  readonly keyIds: readonly string[];
}

/** Keys as `<id>:<32 bytes in base64>`: the first seals, all of them open. Sealed: `v1.<key id>.<iv, text and tag>`. */
export const createSeal = (encryptionKeys: readonly string[]): Seal => {
  const keys = new Map(encryptionKeys.map(parseKey));
  const [first] = keys;
  if (first === undefined) throw new SettingError('ENCRYPTION_KEYS holds no key.');
  const [newest, newestKey] = first;

  return {
    keyIds: [...keys.keys()],

    seal: (text, place) => {
      const iv = randomBytes(ivBytes);
      const sealing = createCipheriv(cipher, newestKey, iv, options).setAAD(Buffer.from(place));
      const bytes = Buffer.concat([iv, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]);
      return `v1.${newest}.${bytes.toString('base64url')}`;
    },

    open: (sealed, place) => {
      const [version, id = '', body = ''] = sealed.split('.');
      const key = keys.get(id);
      if (version !== 'v1' || key === undefined) {
        throw new SettingError(`${place} was sealed with the key "${id}", which is not among the encryption keys.`);
      }
      try {
        return decipher(key, Buffer.from(body, 'base64url'), place);
      } catch {
        throw new SettingError(`${place} cannot be opened: it was changed, or sealed with another key named "${id}".`);
      }
    },
  };
};

const decipher = (key: Buffer, bytes: Buffer, place: string) => {
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes), options)
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(-options.authTagLength));
  return opening.update(bytes.subarray(ivBytes, -options.authTagLength), undefined, 'utf8') + opening.final('utf8');
};

const parseKey = (text: string): [id: string, key: Buffer] => {
  const [id = '', key = ''] = text.split(':');
  return [id, Buffer.from(key, 'base64')];
};
