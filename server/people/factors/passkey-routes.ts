import type { PasskeyRoutes } from '#contracts/passkeys';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { Sessions } from '#server/access/auth/sessions';
import type { RouteHandlers } from '#server/base/context';
import { Refusal } from '#server/base/errors';
import type { ProofOfPerson, SignedIn } from '#server/base/signed-in';
import type { People } from '#server/people/workspaces/people';
import type { MailAboutFactors } from './mail-about-factors.ts';
import type { Passkeys } from './passkeys.ts';

export const passkeyRoutes = ({
  passkeys,
  people,
  sessions,
  proof,
  audit,
  mail,
  accessChanged,
  mayTry,
  transaction,
  hasPasswords,
}: {
  passkeys: Passkeys;
  people: People;
  sessions: Sessions;
  proof: ProofOfPerson;
  audit: AuditLog;
  mail: MailAboutFactors;
  /** Checks access again: without a factor, a person may no longer see some workspaces. */
  accessChanged: (userId: string) => Promise<void>;
  /** Limits attempts per IP address. */
  mayTry: (address: string) => void;
  transaction: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** False where an outside identity provider signs people in, with factors of its own. */
  hasPasswords: boolean;
}): RouteHandlers<PasskeyRoutes> => {
  const mustBeOffered = () => {
    if (!hasPasswords)
      throw new Refusal('Forbidden', 'There are no passkeys here: your organisation signs you in, with its own.');
  };

  const mailAbout = (signedIn: SignedIn, change: 'added to' | 'removed from', name: string) =>
    mail(signedIn, {
      subject: `A passkey was ${change} your account`,
      lines: [`The passkey “${name}” was ${change} your account.`],
    });

  return {
    listPasskeys: async ({ signedIn }) => ({
      passkeys: await passkeys.list(signedIn.userId),
      ...(passkeys.unavailable && { unavailable: passkeys.unavailable }),
      asks: await proof.asks(signedIn),
    }),

    beginPasskey: async ({ signedIn, body, address }) => {
      mustBeOffered();
      await proof.mustProve(signedIn, body, address);
      return { options: { ...(await passkeys.beginAdding(signedIn)) } };
    },

    addPasskey: ({ signedIn, body: { name, response }, requestId }) => {
      mustBeOffered();
      return transaction(async () => {
        const { userId, workspace } = signedIn;
        const passkey = await passkeys.add(userId, name, response);
        const details = { id: passkey.id, name };
        await audit.write({ event: 'passkey.added', workspaceId: workspace?.id, userId, requestId, details });
        await mailAbout(signedIn, 'added to', name);
        return passkey;
      });
    },

    removePasskey: async ({ signedIn, params: { id }, body, address, requestId }) => {
      await proof.mustProve(signedIn, body, address);
      await transaction(async () => {
        const { userId, workspace } = signedIn;
        const name = await passkeys.remove(userId, id);
        await accessChanged(userId);
        const details = { id, name };
        await audit.write({ event: 'passkey.removed', workspaceId: workspace?.id, userId, requestId, details });
        await mailAbout(signedIn, 'removed from', name);
      });
      return { done: true };
    },

    beginPasskeySignIn: async ({ address }) => {
      mustBeOffered();
      mayTry(address);
      return { options: { ...(await passkeys.beginSignIn()) } };
    },

    signInWithPasskey: async ({ body, session, userAgent, address, requestId }) => {
      mustBeOffered();
      mayTry(address);
      const userId = await passkeys.signIn(body.response);
      const workspaceId = await people.lastWorkspace(userId);
      const details = { address, passkey: true };
      await audit.write({ event: 'sign-in.succeeded', workspaceId, userId, requestId, details });
      const secret = await sessions.begin(userId, { means: ['passkey'], userAgent });
      session.set(secret);
      const signedIn = await sessions.who(secret);
      return people.session({ userId, workspaceId: signedIn?.workspace?.id });
    },
  };
};
