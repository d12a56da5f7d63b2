import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { minuteMs } from '#contracts/time';
import type { Clock } from '#server/base/clock';
import type { Seal } from '#server/base/secrets/seal';
import type { IdentityStore, StoredKey } from './store.ts';

/** A new key is published this long before it signs, so that all instances and caches of verifiers have it by then. */
const publishMs = 10 * minuteMs;
/** The time until the new key signs, plus the lifetime of the old key's last token, plus caches. */
const retireAfterMs = publishMs + 60 * minuteMs + 10 * minuteMs;

export const signingAlgorithm = 'ES256';

export interface SigningKey {
  readonly publicKey: JWK;
  readonly privateKey: JWK;
}

export type SigningKeys = ReturnType<typeof createSigningKeys>;

/** The keys of access tokens, shared through the database by all instances. */
export const createSigningKeys = ({ store, seal, clock }: { store: IdentityStore; seal: Seal; clock: Clock }) => {
  const add = async (createdAt: Date) => {
    const pair = await generateKeyPair(signingAlgorithm, { extractable: true });
    const publicKey = await exportJWK(pair.publicKey);
    const id = await calculateJwkThumbprint(publicKey);
    const privateText = JSON.stringify(await exportJWK(pair.privateKey));
    await store.insertKey({
      id,
      publicKey: { ...publicKey, kid: id, alg: signingAlgorithm, use: 'sig' },
      sealedPrivateKey: seal.seal(privateText, placeOf(id)),
      createdAt,
    });
    return id;
  };

  const addFirst = () =>
    store.transaction(async () => {
      await store.lockKeys();
      const now = clock.now();
      if ((await store.keys(now)).length === 0) await add(now);
      return store.keys(now);
    });

  return {
    /** All keys that verify tokens. The first one signs. */
    read: async (): Promise<SigningKey[]> => {
      const now = clock.now();
      const stored = await store.keys(now);
      const keys = stored.length > 0 ? stored : await addFirst();
      const old = after(now, -publishMs);
      const signer = keys.findLast(({ createdAt }) => createdAt <= old) ?? keys[0];
      return [...keys].sort((a, b) => Number(b === signer) - Number(a === signer)).map(openKey);
    },

    /** The new key is published at once and signs later. Older keys are removed when their last tokens have expired. */
    rotate: () =>
      store.transaction(async () => {
        await store.lockKeys();
        const now = clock.now();
        const othersEndAt = after(now, retireAfterMs);
        await store.retireKeys(othersEndAt);
        return { id: await add(now), signsAt: after(now, publishMs), othersEndAt };
      }),
  };

  function openKey({ id, publicKey, sealedPrivateKey }: StoredKey): SigningKey {
    return { publicKey, privateKey: { ...publicKey, ...JSON.parse(seal.open(sealedPrivateKey, placeOf(id))) } };
  }
};

const after = (now: Date, ms: number) => new Date(now.getTime() + ms);

const placeOf = (id: string) => `signing_keys:${id}:sealed_private_key`;
