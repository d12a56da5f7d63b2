import { randomBytes } from 'node:crypto';
import type { Sessions } from '#server/auth/sessions';
import type { People } from './people.ts';

export type Welcome = ReturnType<typeof createWelcome>;

/** The way into a fresh installation: a link that works once, for this run, while nobody has set a password. */
export const createWelcome = ({
  people,
  sessions,
  allowed,
}: {
  people: People;
  sessions: Sessions;
  /** Never in production. */
  allowed: boolean;
}) => {
  let secret: string | undefined;
  return {
    /** Its path, if there is anybody to welcome. */
    path: async () => {
      if (!allowed || (await people.awaitsFirstPassword()) === undefined) return undefined;
      secret ??= randomBytes(18).toString('base64url');
      return `/welcome/${secret}`;
    },

    /** A session as owner of the workspace Demo, or nothing when the link is used up. */
    enter: async (given: string) => {
      if (secret === undefined || given !== secret) return undefined;
      secret = undefined;
      const first = await people.awaitsFirstPassword();
      if (first === undefined) return undefined;
      const userId = first.userId ?? (await people.setUp({ email: 'owner@localhost', workspace: 'Demo' })).userId;
      return sessions.begin(userId);
    },
  };
};
