import type { Seal } from '#server/secrets/seal';
import { oldSecretPlace, type SigningKeys, secretPlace, signingKeysOf } from './signing.ts';
import type { ClaimedDelivery } from './store.ts';

type Sealed = Pick<ClaimedDelivery, 'webhookId' | 'secret' | 'oldSecret'>;

const mostKnown = 1000;

/** The keys to sign with, the newest first. A secret is opened once for many deliveries, and again when it has changed. */
export const createSigningKeys = (seal: Seal) => {
  const known = new Map<string, Sealed & { readonly keys: readonly SigningKeys[] }>();

  const open = ({ webhookId, secret, oldSecret }: Sealed) => {
    const secrets = [seal.open(secret, secretPlace(webhookId))];
    if (oldSecret !== null) secrets.push(seal.open(oldSecret, oldSecretPlace(webhookId)));
    return secrets.map(signingKeysOf);
  };

  return ({ webhookId, secret, oldSecret }: Sealed) => {
    const found = known.get(webhookId);
    if (found?.secret === secret && found.oldSecret === oldSecret) return found.keys;
    const keys = open({ webhookId, secret, oldSecret });
    if (known.size >= mostKnown) known.clear();
    known.set(webhookId, { webhookId, secret, oldSecret, keys });
    return keys;
  };
};
