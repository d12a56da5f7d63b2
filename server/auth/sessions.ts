import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '#server/clock';
import type { SignedIn } from './sign-in.ts';
import type { SessionStore } from './store.ts';

const dayMs = 24 * 60 * 60 * 1000;
const idleMs = 14 * dayMs;
const absoluteMs = 90 * dayMs;
/** How exact `last seen` is, so that a request seldom costs a write. */
const seenEveryMs = 60 * 60 * 1000;

export type Sessions = ReturnType<typeof createSessions>;

/** A browser that somebody signed in with. Only the hash of its secret is stored. */
export const createSessions = ({ store, clock }: { store: SessionStore; clock: Clock }) => {
  const ago = (ms: number) => new Date(clock.now().getTime() - ms);
  return {
    /** A new secret at each sign-in, so that one planted before is worth nothing. */
    begin: async (userId: string) => {
      const secret = randomBytes(32).toString('base64url');
      await store.insert(hashOf(secret), userId, clock.now());
      return secret;
    },

    who: async (secret: string): Promise<SignedIn | undefined> => {
      const hash = hashOf(secret);
      const found = await store.read(hash, ago(absoluteMs), ago(idleMs));
      if (found === undefined) return undefined;
      if (new Date(found.lastSeenAt) < ago(seenEveryMs)) await store.seen(hash, clock.now());
      return found.signedIn;
    },

    /** Those that nobody can use any more. */
    purge: () => store.removeOld(ago(absoluteMs), ago(idleMs)),

    end: (secret: string) => store.remove(hashOf(secret)),

    /** All sessions of a user but the one that asks. */
    endOthers: (userId: string, secret: string) => store.removeOthers(userId, hashOf(secret)),
  };
};

const hashOf = (secret: string) => createHash('sha256').update(secret).digest();
