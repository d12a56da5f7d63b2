import type { SecondFactorRoutes } from '#contracts/second-factors';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { Sessions } from '#server/access/auth/sessions';
import type { SignIns } from '#server/access/auth/sign-ins';
import type { RouteHandlers } from '#server/base/context';
import { badInput, notFound, Refusal } from '#server/base/errors';
import type { ProofOfPerson, SignedIn } from '#server/base/signed-in';
import type { People } from '#server/people/workspaces/people';
import type { Factors } from './factors.ts';
import type { MailAboutFactors } from './mail-about-factors.ts';
import type { Passkeys } from './passkeys.ts';

export const secondFactorRoutes = ({
  factors,
  passkeys,
  proof,
  people,
  signIns,
  sessions,
  audit,
  mail,
  accessChanged,
  mayTry,
  transaction,
  hasPasswords,
}: {
  factors: Factors;
  passkeys: Passkeys;
  proof: ProofOfPerson;
  people: People;
  signIns: SignIns;
  sessions: Sessions;
  audit: AuditLog;
  mail: MailAboutFactors;
  /** Checks access again: without a factor, a person may no longer see some workspaces. */
  accessChanged: (userId: string) => Promise<void>;
  /** Limits attempts per IP address. */
  mayTry: (address: string) => void;
  transaction: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** False where an outside identity provider signs people in, with factors of its own. */
  hasPasswords: boolean;
}): RouteHandlers<SecondFactorRoutes> => {
  const mustBeOffered = () => {
    if (!hasPasswords) {
      throw new Refusal('Forbidden', 'There are no second factors here: your organisation signs you in, with its own.');
    }
  };

  const record = ({ userId, workspace }: SignedIn, event: string, requestId: string) =>
    audit.write({ event, workspaceId: workspace?.id, userId, requestId });

  const mustProveByPasskey = async (userId: string, response: unknown) => {
    await passkeys.mustProve(userId, response);
    return 'passkey' as const;
  };

  return {
    readSecondStep: async ({ session, address }) => {
      mayTry(address);
      const { userId } = await signIns.find(session.pending);
      return { totp: await factors.hasTotp(userId), passkey: (await passkeys.list(userId)).length > 0 };
    },

    beginSecondStep: async ({ session, address }) => {
      mayTry(address);
      const { userId } = await signIns.find(session.pending);
      return { options: { ...(await passkeys.beginProof(userId)) } };
    },

    finishSecondStep: async ({ body: { code, response }, session, address, requestId }) => {
      mayTry(address);
      const { pending } = session;
      const { userId } = await signIns.find(pending, { isTry: true });
      if (code === '' && response === undefined) {
        throw badInput({ path: 'code', code: 'Required', message: 'or response is required' });
      }
      const workspaceId = await people.lastWorkspace(userId);
      const prove = () =>
        response ? transaction(() => mustProveByPasskey(userId, response)) : factors.mustBeCode(userId, code);
      const means = await prove().catch(async (error: unknown) => {
        await audit.write({ event: 'sign-in.failed', workspaceId, userId, requestId, details: { address } });
        throw error;
      });
      const started = await transaction(async () => {
        const details = { address, means };
        await audit.write({ event: 'sign-in.succeeded', workspaceId, userId, requestId, details });
        return signIns.finish(pending, means);
      });
      session.setPending('');
      session.set(started.session);
      const signedIn = await sessions.who(started.session);
      return people.session({ userId, workspaceId: signedIn?.workspace?.id, byLink: signedIn?.byLink });
    },

    readFactors: async ({ signedIn }) => ({
      ...(await factors.read(signedIn.userId)),
      asks: await proof.asks(signedIn),
    }),

    beginTotp: async ({ signedIn, body, address }) => {
      mustBeOffered();
      await proof.mustProve(signedIn, body, address);
      return factors.begin(signedIn);
    },

    confirmTotp: async ({ signedIn, body, requestId }) => {
      mustBeOffered();
      const setUp = await factors.mustBeFirstCode(signedIn, body.code);
      return transaction(async () => {
        const recoveryCodes = await factors.confirm(setUp);
        await record(signedIn, 'totp.added', requestId);
        await mail(signedIn, {
          subject: 'An authenticator app was added to your account',
          lines: ['From now on, signing in with your password or a link also asks for a code from the app.'],
        });
        return { recoveryCodes };
      });
    },

    removeTotp: async ({ signedIn, body, address, requestId }) => {
      await proof.mustProve(signedIn, body, address);
      await transaction(async () => {
        await factors.remove(signedIn.userId);
        await accessChanged(signedIn.userId);
        await record(signedIn, 'totp.removed', requestId);
        await mail(signedIn, {
          subject: 'The authenticator app was removed from your account',
          lines: ['Signing in no longer asks for a code, and your recovery codes no longer work.'],
        });
      });
      return { done: true };
    },

    renewRecoveryCodes: async ({ signedIn, body, address, requestId }) => {
      await proof.mustProve(signedIn, body, address);
      return transaction(async () => {
        const recoveryCodes = await factors.renewCodes(signedIn.userId);
        await record(signedIn, 'recovery-codes.renewed', requestId);
        await mail(signedIn, {
          subject: 'New recovery codes were made for your account',
          lines: ['Your earlier recovery codes no longer work.'],
        });
        return { recoveryCodes };
      });
    },

    resetFactors: async ({ caller, signedIn, body, params: { id }, address, requestId }) => {
      const { workspaceId, userId } = caller;
      await proof.mustProve(signedIn, body, address);
      return transaction(async () => {
        const person = await people.ownedBy(userId, workspaceId, id);
        if (person === undefined) throw notFound('member', id);
        if (id === userId) {
          throw new Refusal('Conflict', 'These are your own factors. Remove them in your profile.');
        }
        if (!person.isWhollyOwned) {
          throw new Refusal(
            'Conflict',
            `${person.email} is also in workspaces that are not yours, or runs this installation. Ask the operator: npx posthorn user reset --email ${person.email}`,
          );
        }
        await factors.removeAll(id);
        await passkeys.removeAll(id);
        await sessions.endOthers(id);
        await signIns.endOf(id);
        const details = { userId: id, email: person.email };
        await audit.write({ event: 'member.factors-reset', workspaceId, userId, requestId, details });
        await mail(
          { userId: id, email: person.email },
          {
            subject: 'Your second factors were removed',
            lines: [
              'An owner of your workspace removed your authenticator app, recovery codes and passkeys, and signed you out everywhere.',
              'Sign in with your password, and set them up again.',
            ],
          },
        );
        return { done: true as const };
      });
    },
  };
};
