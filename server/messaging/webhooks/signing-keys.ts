import type { Seal } from '#server/base/secrets/seal';
import { oldSecretPlace, type SigningKeys, secretPlace, signingKeysOf } from './signing.ts';
import type { ClaimedWebhook } from './store.ts';

type SealedSecrets = Pick<ClaimedWebhook, 'id' | 'secret' | 'oldSecret'>;

const maxCached = 1000;

/** The signing keys of a webhook, newest first. Cached, and decrypted again when a secret has changed. */
export const createSigningKeys = (seal: Seal) => {
  const cache = new Map<string, SealedSecrets & { readonly keys: readonly SigningKeys[] }>();

  const open = ({ id, secret, oldSecret }: SealedSecrets) => {
    const secrets = [seal.open(secret, secretPlace(id))];
    if (oldSecret !== null) secrets.push(seal.open(oldSecret, oldSecretPlace(id)));
    return secrets.map(signingKeysOf);
  };

  return ({ id, secret, oldSecret }: SealedSecrets) => {
    const cached = cache.get(id);
    if (cached?.secret === secret && cached.oldSecret === oldSecret) return cached.keys;
    const keys = open({ id, secret, oldSecret });
    if (cache.size >= maxCached) cache.clear();
    cache.set(id, { id, secret, oldSecret, keys });
    return keys;
  };
};
