import { randomBytes } from 'node:crypto';
import type { Proof } from '#contracts/receipts';
import { dayMs } from '#contracts/time';
import type { Clock } from '#server/base/clock';
import { notFound } from '#server/base/errors';
import { newId } from '#server/base/ids';
import { sha256 } from '#server/base/sha256';
import type { SignedIn } from '#server/base/signed-in';
import type { SessionStore } from './session-store.ts';

const idleMs = 14 * dayMs;
const absoluteMs = 90 * dayMs;
/** As long as a one-time link works. A sign-in that is older proves nothing about who is there now. */
const recentMs = 60 * 60 * 1000;
/** The precision of `last seen`, so that few requests need a write. */
const seenEveryMs = 5 * 60 * 1000;

export type Sessions = ReturnType<typeof createSessions>;

/** A session is one signed-in browser. Only the hash of its secret is stored. */
export const createSessions = ({
  store,
  clock,
  accessChanged,
}: {
  store: SessionStore;
  /** The wall clock, so that moving the sandbox clock signs nobody out. */
  clock: Clock;
  /** Open streams and caches of this user have to check access again. */
  accessChanged: (userId: string) => Promise<void>;
}) => {
  const ago = (ms: number) => new Date(clock.now().getTime() - ms);
  return {
    /** A new secret at each sign-in prevents session fixation. Opens the workspace that was opened last. */
    begin: async (
      userId: string,
      {
        means,
        userAgent = '',
        browser = nameOfBrowser(userAgent),
        byLink = false,
      }: { means: readonly Proof[]; userAgent?: string; browser?: string; byLink?: boolean },
    ) => {
      const secret = randomBytes(32).toString('base64url');
      const now = clock.now();
      await store.insert(newId('session', now), hashOf(secret), userId, now, browser, byLink, means);
      return secret;
    },

    who: async (secret: string): Promise<SignedIn | undefined> => {
      const hash = hashOf(secret);
      const session = await store.read(hash, ago(absoluteMs), ago(idleMs), ago(recentMs));
      if (session === undefined) return undefined;
      if (new Date(session.lastSeenAt) < ago(seenEveryMs)) await store.seen(hash, clock.now());
      return session.signedIn;
    },

    /** Only in this browser. */
    openWorkspace: async ({ sessionId, userId }: SignedIn, workspaceId: string) => {
      await store.open(sessionId, workspaceId);
      await accessChanged(userId);
    },

    /**
     * In all browsers of a person who leaves the workspace, so that joining again opens it only in the browser they
     * use.
     */
    closeWorkspace: ({ userId, workspaceId }: { userId: string; workspaceId: string }) =>
      store.close(userId, workspaceId),

    list: async ({ userId, sessionId }: SignedIn) =>
      (await store.list(userId, ago(absoluteMs), ago(idleMs))).map((session) => ({
        ...session,
        current: session.id === sessionId,
      })),

    /** By user id; users without a session are left out. */
    countByUser: async () =>
      new Map((await store.countByUser()).map(({ userId, ...sessions }) => [userId, sessions] as const)),

    endOne: async ({ userId }: SignedIn, id: string) => {
      if ((await store.removeOne(userId, id)) === 0) throw notFound('session', id);
      await accessChanged(userId);
    },

    /** Deletes expired sessions. */
    purge: () => store.removeOld(ago(absoluteMs), ago(idleMs)),

    end: async (secret: string) => {
      const userId = await store.remove(hashOf(secret));
      if (userId !== undefined) await accessChanged(userId);
    },

    /** All sessions of a user, except the one with this secret. */
    endOthers: async (userId: string, secret = '') => {
      await store.removeOthers(userId, hashOf(secret));
      await accessChanged(userId);
    },
  };
};

const hashOf = (secret: string) => sha256(secret);

const browsers: readonly [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|HeadlessChrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: readonly [RegExp, string][] = [
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** `Firefox on Linux`: enough for people to recognise their own browsers. */
export const nameOfBrowser = (userAgent: string) => {
  const find = (names: typeof browsers) => names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [find(browsers), find(systems)];
  if (browser === undefined) return userAgent.replace(/[^\x20-\x7e]/g, '').slice(0, 40);
  return system === undefined ? browser : `${browser} on ${system}`;
};
