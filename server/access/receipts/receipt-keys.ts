import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { ReceiptKey } from '#contracts/receipts';
import type { Clock } from '#server/base/clock';
import type { Seal } from '#server/base/secrets/seal';
import type { ReceiptStore } from './store.ts';
import { keyIdOf } from './verify-receipts.ts';

export interface Signer {
  readonly keyId: string;
  sign(text: string): string;
}

export type ReceiptKeys = ReturnType<typeof createReceiptKeys>;

/** The key that signs receipts: one for the installation, made with the first receipt. */
export const createReceiptKeys = ({ store, seal, clock }: { store: ReceiptStore; seal: Seal; clock: Clock }) => {
  /** By id. The row is read each time, because a key that was made in a transaction may have been rolled back. */
  const privateKeys = new Map<string, KeyObject>();

  const add = async () => {
    const pair = generateKeyPairSync('ed25519');
    const { x: publicKey = '' } = pair.publicKey.export({ format: 'jwk' });
    const { d = '' } = pair.privateKey.export({ format: 'jwk' });
    const id = keyIdOf(publicKey);
    await store.insertKey({ id, publicKey, sealedPrivateKey: seal.seal(d, placeOf(id)), createdAt: clock.now() });
  };

  const current = async () => {
    const key = await store.currentKey();
    if (key) return key;
    return store.transaction(async () => {
      await store.lockKeys();
      if ((await store.currentKey()) === undefined) await add();
      const first = await store.currentKey();
      if (first === undefined) throw new Error('the key of receipts that was just made is gone');
      return first;
    });
  };

  return {
    signer: async (): Promise<Signer> => {
      const { id, publicKey, sealedPrivateKey } = await current();
      const privateKey =
        privateKeys.get(id) ??
        createPrivateKey({
          format: 'jwk',
          key: { kty: 'OKP', crv: 'Ed25519', x: publicKey, d: seal.open(sealedPrivateKey, placeOf(id)) },
        });
      privateKeys.set(id, privateKey);
      return { keyId: id, sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url') };
    },

    /** Creates the first key if there is none, so that people can note it before anything is decided. */
    list: async (): Promise<ReceiptKey[]> => {
      await current();
      return store.publicKeys();
    },
  };
};

const placeOf = (id: string) => `receipt_keys:${id}:sealed_private_key`;
