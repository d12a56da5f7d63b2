import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '#server/clock';
import type { Purpose, SecretStore } from './store.ts';

const hourMs = 3_600_000;
const livesMs: Record<Purpose, number> = { 'sign-in': hourMs, 'first-owner': 7 * 24 * hourMs, password: hourMs };

export type OneTimeSecrets = ReturnType<typeof createOneTimeSecrets>;

/** Links and codes that work once, on any instance. Only their hashes are stored. */
export const createOneTimeSecrets = ({ store, clock }: { store: SecretStore; clock: Clock }) => ({
  /** Without a user: for the first owner. */
  make: async (purpose: Purpose, userId?: string) => {
    const secret = randomBytes(18).toString('base64url');
    const expiresAt = new Date(clock.now().getTime() + livesMs[purpose]);
    // A user has one link of the operator at a time. One by mail leaves those before it: anybody can ask for it.
    if (userId !== undefined && purpose !== 'password') await store.removeOf(userId, purpose);
    await store.insert(hashOf(secret), purpose, userId ?? null, expiresAt);
    return secret;
  },

  /** Whose it was, or nothing when it is used up, too old or made up. */
  take: async (secret: string, purpose: Purpose) => {
    const found = await store.take(hashOf(secret), purpose, clock.now());
    return found && { userId: found.user_id ?? undefined };
  },

  dropOf: (userId: string, purpose: Purpose) => store.removeOf(userId, purpose),

  purge: () => store.purge(clock.now()),
});

const hashOf = (secret: string) => createHash('sha256').update(secret).digest();
