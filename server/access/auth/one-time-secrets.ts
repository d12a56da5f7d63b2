import { randomBytes } from 'node:crypto';
import { hourMs } from '#contracts/time';
import type { Clock } from '#server/base/clock';
import { sha256 } from '#server/base/sha256';
import type { Purpose, SecretStore } from './one-time-secret-store.ts';

const lifetimeMs: Record<Purpose, number> = { 'sign-in': hourMs, 'first-owner': 7 * 24 * hourMs, password: hourMs };

export type OneTimeSecrets = ReturnType<typeof createOneTimeSecrets>;

/** Links and codes that work once, on any instance. Only their hashes are stored. */
export const createOneTimeSecrets = ({ store, clock }: { store: SecretStore; clock: Clock }) => ({
  /** The first owner has no user yet. */
  make: async (purpose: Purpose, userId?: string) => {
    const secret = randomBytes(18).toString('base64url');
    const expiresAt = new Date(clock.now().getTime() + lifetimeMs[purpose]);
    // A new link of the operator replaces the last one. A link by mail does not, because anybody can request one.
    if (userId !== undefined && purpose !== 'password') await store.removeOf(userId, purpose);
    await store.insert(hashOf(secret), purpose, userId ?? null, expiresAt);
    return secret;
  },

  /** Returns the owner and deletes the secret; undefined if it is used, expired or wrong. */
  take: async (secret: string, purpose: Purpose) => {
    const row = await store.take(hashOf(secret), purpose, clock.now());
    return row && { userId: row.userId ?? undefined };
  },

  /** Does not use it up. */
  isValid: (secret: string, purpose: Purpose) => store.has(hashOf(secret), purpose, clock.now()),

  dropOf: (userId: string, purpose: Purpose) => store.removeOf(userId, purpose),

  purge: () => store.purge(clock.now()),
});

const hashOf = (secret: string) => sha256(secret);
