import { randomBytes } from 'node:crypto';
import type { Proof } from '#contracts/receipts';
import type { Clock } from '#server/base/clock';
import { Refusal } from '#server/base/errors';
import { sha256 } from '#server/base/sha256';
import { nameOfBrowser, type Sessions } from './sessions.ts';
import type { PendingStore } from './sign-in-store.ts';

const lifetimeMs = 10 * 60_000;
const maxTries = 10;
/**
 * These need no further factor. A passkey is itself two: the device and its unlock. An outside provider has its own
 * factors.
 */
const sufficient: readonly Proof[] = ['passkey', 'totp', 'recovery-code', 'provider'];

export type SignIns = ReturnType<typeof createSignIns>;

interface SignInDetails {
  readonly means: readonly Proof[];
  readonly userAgent?: string;
  readonly byLink?: boolean;
}

/** What a browser gets: a session, or the secret of a sign-in that waits for the second factor and is good for nothing else. */
export type SignInStart = { readonly session: string } | { readonly pending: string };

/** Every sign-in with one factor comes through here: people with a second factor must then give it. */
export const createSignIns = ({
  store,
  sessions,
  clock,
}: {
  store: PendingStore;
  sessions: Sessions;
  clock: Clock;
}) => ({
  begin: async (userId: string, details: SignInDetails): Promise<SignInStart> => {
    const { means, userAgent = '', byLink = false } = details;
    const isProven = means.some((one) => sufficient.includes(one));
    if (isProven || !(await store.hasFactor(userId))) return { session: await sessions.begin(userId, details) };
    const pending = randomBytes(32).toString('base64url');
    const expiresAt = new Date(clock.now().getTime() + lifetimeMs);
    await store.insert({
      hash: hashOf(pending),
      userId,
      means,
      byLink,
      userAgent: nameOfBrowser(userAgent),
      expiresAt,
    });
    return { pending };
  },

  /** With `isTry`, counts an attempt, so that nobody can keep guessing codes after one password. */
  find: async (pending: string, { isTry = false } = {}) => {
    const row = await store.find(hashOf(pending), clock.now(), { isTry, maxTries });
    if (row === undefined) throw signInEnded();
    return row;
  },

  /** Call in a transaction, after `find`. Ends the pending sign-in and returns the session. */
  finish: async (pending: string, proof: Proof) => {
    const row = await store.take(hashOf(pending));
    if (row === undefined) throw signInEnded();
    const { userId, means, byLink, userAgent } = row;
    return { userId, session: await sessions.begin(userId, { means: [...means, proof], byLink, browser: userAgent }) };
  },

  hasFactor: store.hasFactor,
  endOf: store.removeOf,
  purge: () => store.purge(clock.now()),
});

const signInEnded = () =>
  new Refusal(
    'NotFound',
    `This sign-in has ended: it took longer than ${lifetimeMs / 60_000} minutes, had ${maxTries} wrong tries, was finished in another tab, or the password was changed. Sign in again.`,
  );

const hashOf = (secret: string) => sha256(secret);

/** The workspace requires two factors, and this person has one. */
export const factorMissing = () => {
  const message =
    'This workspace asks its members for two factors. Set up an authenticator app or a passkey in the app, under Profile.';
  return new Refusal('Forbidden', message, [{ path: '', code: 'FactorMissing', message }]);
};

/** The person has no password or authenticator app, and the session is too old to count as proof. */
export const signInAgain = () => {
  const message =
    'You signed in more than an hour ago, and have neither a password nor an authenticator app. Sign in again by link or at your identity provider, then repeat this.';
  return new Refusal('Forbidden', message, [{ path: '', code: 'SignInAgain', message }]);
};

/** The page then asks for the second factor. */
export const secondFactorNeeded = () => {
  const message = 'Your second factor is needed.';
  return new Refusal('Unauthorized', message, [{ path: '', code: 'SecondFactor', message }]);
};
