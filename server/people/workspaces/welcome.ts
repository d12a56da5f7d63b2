import type { AuditLog } from '#server/access/audit/audit-log';
import type { OneTimeSecrets } from '#server/access/auth/one-time-secrets';
import type { SignIns } from '#server/access/auth/sign-ins';
import type { People } from './people.ts';

export type Welcome = ReturnType<typeof createWelcome>;

/** Sign-in without a password: one-time links, and the code of the first owner. */
export const createWelcome = ({
  people,
  signIns,
  secrets,
  audit,
  transaction,
  production,
  canPrintLink,
}: {
  people: People;
  signIns: SignIns;
  secrets: OneTimeSecrets;
  audit: AuditLog;
  transaction: <Result>(work: () => Promise<Result>) => Promise<Result>;
  production: boolean;
  /** Whether the start may print a link; never in production. */
  canPrintLink: boolean;
}) => {
  const pathOf = (secret: string) => `/welcome/${secret}`;
  return {
    /** For a fresh installation, until somebody has set a password. */
    path: async () => {
      const first = canPrintLink ? await people.awaitsFirstPassword() : undefined;
      return first && pathOf(await secrets.make('sign-in', first.userId));
    },

    /** For the operator who lost the first link, or for somebody who lost their password. */
    linkFor: async (email?: string) => {
      if (email === undefined && !production && (await people.isEmpty())) {
        return { email: demoOwner, path: pathOf(await secrets.make('sign-in')) };
      }
      const { userId, email: address } = await people.forLink(email);
      return { email: address, path: pathOf(await secrets.make('sign-in', userId)) };
    },

    /** The sign-in, or undefined when the link is used up. A link without a user belongs to the owner of the Demo workspace. */
    enter: (secret: string, userAgent?: string) =>
      // One transaction, so that a killed process cannot use up a link without signing anybody in.
      transaction(async () => {
        const link = await secrets.take(secret, 'sign-in');
        if (link === undefined) return undefined;
        const first = link.userId === undefined ? await people.awaitsFirstPassword() : link;
        if (first === undefined || (first.userId === undefined && production)) return undefined;
        const userId = first.userId ?? (await people.setUp({ email: demoOwner, workspace: 'Demo' })).userId;
        await audit.write({ event: 'link.used', workspaceId: await people.lastWorkspace(userId), userId });
        const start = await signIns.begin(userId, {
          means: ['link'],
          byLink: true,
          ...(userAgent !== undefined && { userAgent }),
        });
        return { start };
      }),

    /** Printed by start in production while there is no user. */
    firstOwnerCode: async () => (production && (await people.isEmpty()) ? secrets.make('first-owner') : undefined),

    /** Does not use it up. */
    mayRestore: async (code: string) => !production || secrets.isValid(code, 'first-owner'),

    /** Checks the code and uses it up. */
    isFirstOwnerCode: async (code: string) => !production || (await secrets.take(code, 'first-owner')) !== undefined,
  };
};

const demoOwner = 'owner@localhost';
