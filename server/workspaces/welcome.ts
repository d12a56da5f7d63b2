import type { AuditLog } from '#server/audit/audit-log';
import type { OneTimeSecrets } from '#server/auth/one-time-secrets';
import type { Sessions } from '#server/auth/sessions';
import type { People } from './people.ts';

export type Welcome = ReturnType<typeof createWelcome>;

/** The ways in that need no password: links that work once, and the code of the first owner. */
export const createWelcome = ({
  people,
  sessions,
  secrets,
  audit,
  transaction,
  production,
  mayWelcome,
}: {
  people: People;
  sessions: Sessions;
  secrets: OneTimeSecrets;
  audit: AuditLog;
  transaction: <Result>(work: () => Promise<Result>) => Promise<Result>;
  production: boolean;
  /** Whether start may print a link: never in production. */
  mayWelcome: boolean;
}) => {
  const pathOf = (secret: string) => `/welcome/${secret}`;
  return {
    /** For a fresh installation, until somebody has set a password. */
    path: async () => {
      const first = mayWelcome ? await people.awaitsFirstPassword() : undefined;
      return first && pathOf(await secrets.make('sign-in', first.userId));
    },

    /** For the operator, who has lost the first one, or for somebody who has lost their password. */
    linkFor: async (email?: string) => {
      if (email === undefined && !production && (await people.isEmpty())) {
        return { email: demoOwner, path: pathOf(await secrets.make('sign-in')) };
      }
      const { userId, email: address } = await people.forLink(email);
      return { email: address, path: pathOf(await secrets.make('sign-in', userId)) };
    },

    /** A session, or nothing when the link is used up. Without a user it is that of the owner of the workspace Demo. */
    enter: (secret: string, userAgent?: string) =>
      // A process that is killed uses up no link without letting anybody in.
      transaction(async () => {
        const found = await secrets.take(secret, 'sign-in');
        if (found === undefined) return undefined;
        const first = found.userId === undefined ? await people.awaitsFirstPassword() : found;
        if (first === undefined || (first.userId === undefined && production)) return undefined;
        const userId = first.userId ?? (await people.setUp({ email: demoOwner, workspace: 'Demo' })).userId;
        await audit.write({ event: 'link.used', workspaceId: await people.lastWorkspace(userId), userId });
        return sessions.begin(userId, { byLink: true, ...(userAgent !== undefined && { userAgent }) });
      }),

    /** Printed by start in production while there is no user. */
    firstOwnerCode: async () => (production && (await people.isEmpty()) ? secrets.make('first-owner') : undefined),

    /** Uses it up. */
    isFirstOwnerCode: async (code: string) => !production || (await secrets.take(code, 'first-owner')) !== undefined,
  };
};

const demoOwner = 'owner@localhost';
