import type { Seal } from '#server/secrets/seal';
import { oldSecretPlace, type SigningKeys, secretPlace, signingKeysOf } from './signing.ts';
import type { ClaimedWebhook } from './store.ts';

type Sealed = Pick<ClaimedWebhook, 'id' | 'secret' | 'oldSecret'>;

const mostKnown = 1000;

/** The keys to sign with, the newest first. A secret is opened once for many deliveries, and again when it has changed. */
export const createSigningKeys = (seal: Seal) => {
  const known = new Map<string, Sealed & { readonly keys: readonly SigningKeys[] }>();

  const open = ({ id, secret, oldSecret }: Sealed) => {
    const secrets = [seal.open(secret, secretPlace(id))];
    if (oldSecret !== null) secrets.push(seal.open(oldSecret, oldSecretPlace(id)));
    return secrets.map(signingKeysOf);
  };

  return ({ id, secret, oldSecret }: Sealed) => {
    const found = known.get(id);
    if (found?.secret === secret && found.oldSecret === oldSecret) return found.keys;
    const keys = open({ id, secret, oldSecret });
    if (known.size >= mostKnown) known.clear();
    known.set(id, { id, secret, oldSecret, keys });
    return keys;
  };
};
