import type { PeopleRoutes } from '#contracts/people';
import type { PersonDeletionRoutes } from '#contracts/person-deletion';
import type { Proof } from '#contracts/receipts';
import type { WorkspaceRoutes } from '#contracts/workspaces';
import type { AuditLog } from '#server/access/audit/audit-log';
import { emailKey } from '#server/access/auth/email-address';
import type { PasswordTries } from '#server/access/auth/password-tries';
import type { Sessions } from '#server/access/auth/sessions';
import { type SignInStart, type SignIns, secondFactorNeeded, signInAgain } from '#server/access/auth/sign-ins';
import type { RouteHandlers, SessionCookie } from '#server/base/context';
import { badInput, Refusal } from '#server/base/errors';
import type { ProofOfPerson, SignedIn } from '#server/base/signed-in';
import type { Deletion } from './deletion.ts';
import type { ForgottenPassword } from './forgotten-password.ts';
import type { Invitations } from './invitations.ts';
import type { Members } from './members.ts';
import { isWrongPassword, type People } from './people.ts';
import type { PersonDeletion } from './person-deletion.ts';
import type { Welcome } from './welcome.ts';

interface BrowserSession {
  readonly session: SessionCookie;
  readonly userAgent: string;
}

/** Signing in, workspaces and members. */
export const workspaceRoutes = ({
  people,
  members,
  invitations,
  sessions,
  signIns,
  welcome,
  deletion,
  personDeletion,
  mustProve,
  forgotten,
  audit,
  tries,
  mayTry,
  transaction,
  hasPasswords,
  baseUrl,
  production,
  report,
  forgetUser,
  revokeTokens,
}: {
  people: People;
  members: Members;
  invitations: Invitations;
  sessions: Sessions;
  signIns: SignIns;
  welcome: Welcome;
  deletion: Deletion;
  personDeletion: PersonDeletion;
  mustProve: ProofOfPerson['mustProve'];
  forgotten: ForgottenPassword;
  audit: AuditLog;
  tries: PasswordTries;
  /** Limits attempts per IP address, over all accounts. */
  mayTry: (address: string) => void;
  /** Keeps related changes atomic, even when the process is killed. */
  transaction: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** False where an outside identity provider signs people in. */
  hasPasswords: boolean;
  baseUrl: string;
  production: boolean;
  report: (error: unknown) => void;
  /** Revokes the access of MCP clients. */
  forgetUser: (userId: string) => Promise<void>;
  revokeTokens: (userId: string) => Promise<unknown>;
}): RouteHandlers<PeopleRoutes & PersonDeletionRoutes & WorkspaceRoutes> => {
  /** Every sign-in ends here: with a new session in the cookie, or with the question for the second factor. */
  const openSession = async (start: SignInStart, session: SessionCookie) => {
    if ('pending' in start) {
      session.setPending(start.pending);
      throw secondFactorNeeded();
    }
    session.set(start.session);
    const signedIn = await sessions.who(start.session);
    if (signedIn === undefined) throw new Error('a session that was just begun is gone');
    return recordOf(signedIn);
  };
  const enter = async (userId: string, means: readonly Proof[], { session, userAgent }: BrowserSession) =>
    openSession(await signIns.begin(userId, { means, userAgent }), session);

  const recordOf = ({ userId, byLink, workspace }: SignedIn, workspaceId = workspace?.id) =>
    people.session({ userId, workspaceId, byLink });

  const mustHavePasswords = () => {
    if (!hasPasswords) {
      throw new Refusal('Forbidden', 'There are no passwords here: your organisation signs you in. Open /sign-in.');
    }
  };

  /** Every password check is counted, and a wrong password is written to the audit log. */
  const guarded = <Result>(
    { email, address, event, requestId }: { email: string; address: string; event: string; requestId: string },
    work: () => Promise<Result>,
  ) =>
    tries.guard({ email, address }, work, isWrongPassword).catch(async (error: unknown) => {
      if (isWrongPassword(error)) {
        await audit.write({ event, requestId, ...(await people.findByEmail(email)), details: { email, address } });
      }
      throw error;
    });

  const done = { done: true } as const;

  return {
    readEntrance: async ({ session }) => {
      const [empty, signedIn] = await Promise.all([people.isEmpty(), sessions.who(session.secret)]);
      return {
        empty,
        needsCode: empty && production,
        outside: !hasPasswords,
        address: baseUrl,
        mail: hasPasswords && forgotten.isOffered,
        ...(signedIn && { signedInAs: signedIn.email }),
      };
    },

    openInvitation: async ({ body, session }) => {
      const { email, workspace, role } = await invitations.lookAt(body.token);
      const signedIn = await sessions.who(session.secret);
      const isTheirs = signedIn !== undefined && emailKey(signedIn.email) === emailKey(email);
      return { email, workspace, role, isTheirs };
    },

    enterByLink: async ({ body, session, userAgent }) => {
      const entering = await welcome.enter(body.secret, userAgent);
      if (entering === undefined) {
        throw new Refusal('NotFound', 'This link was used, replaced or is too old. Make a new one: npx posthorn link');
      }
      return openSession(entering.start, session);
    },

    getSession: ({ signedIn }) => recordOf(signedIn),

    signUp: async ({ body: { code, ...first }, address, ...entering }) => {
      mustHavePasswords();
      mayTry(address);
      const mayBeFirst = () => welcome.isFirstOwnerCode(code);
      return enter((await people.setUp(first, { mayBeFirst })).userId, ['password'], entering);
    },

    signIn: async ({ body: { email, password }, address, requestId, ...entering }) => {
      mustHavePasswords();
      mayTry(address);
      const userId = await guarded({ email, address, event: 'sign-in.failed', requestId }, () =>
        people.signIn(email, password),
      );
      const workspaceId = await people.lastWorkspace(userId);
      // A person with a second factor is not signed in yet.
      if (!(await signIns.hasFactor(userId))) {
        await audit.write({ event: 'sign-in.succeeded', workspaceId, userId, requestId, details: { email, address } });
      }
      return enter(userId, ['password'], entering);
    },

    signOut: async ({ session, signedIn: { userId, workspace }, requestId }) => {
      await transaction(async () => {
        await sessions.end(session.secret);
        await audit.write({ event: 'sign-out', workspaceId: workspace?.id, userId, requestId });
      });
      await session.clear();
      return done;
    },

    changePassword: async ({ signedIn, body, session, address, requestId }) => {
      mustHavePasswords();
      const { userId, email, byLink, isRecent, workspace } = signedIn;
      if (!isRecent && !(await people.hasPassword(userId))) throw signInAgain();
      await guarded({ email, address, event: 'password.failed', requestId }, () =>
        transaction(async () => {
          await people.changePassword(userId, body.next, byLink ? undefined : body.current);
          await sessions.endOthers(userId, session.secret);
          await signIns.endOf(userId);
          await forgetUser(userId);
          await audit.write({ event: 'password.changed', workspaceId: workspace?.id, userId, requestId });
        }),
      );
      return done;
    },

    forgotPassword: async ({ body: { email }, address, requestId }) => {
      mustHavePasswords();
      mayTry(address);
      forgotten.mustHaveMail();
      // Not awaited, because the duration would reveal whether the address has an account.
      forgotten.ask(email, { address, requestId }).catch(report);
      return done;
    },

    resetPassword: async ({ body: { secret, password, endTokens }, address, requestId, ...entering }) => {
      mustHavePasswords();
      mayTry(address);
      const userId = await transaction(async () => {
        const resetUserId = await forgotten.set(secret, password);
        await sessions.endOthers(resetUserId);
        await signIns.endOf(resetUserId);
        await forgetUser(resetUserId);
        if (endTokens) await revokeTokens(resetUserId);
        const workspaceId = await people.lastWorkspace(resetUserId);
        const details = { address, endTokens };
        await audit.write({ event: 'password.reset', workspaceId, userId: resetUserId, requestId, details });
        return resetUserId;
      });
      return enter(userId, ['link'], entering);
    },

    changeProfile: async ({ signedIn, body }) => {
      await people.changeProfile(signedIn.userId, body);
      return recordOf(signedIn);
    },

    exportSelf: ({ signedIn: { userId } }) => personDeletion.exportPerson({ userId }),

    deleteSelf: async ({ signedIn, body: { email, ...proof }, session, address, requestId }) => {
      if (emailKey(email) !== emailKey(signedIn.email)) {
        throw badInput({ path: 'email', code: 'BadAddress', message: `must be your address, ${signedIn.email}` });
      }
      await mustProve(signedIn, proof, address);
      const { userId } = signedIn;
      await transaction(async () => {
        await personDeletion.remove({ userId }, requestId);
        await forgetUser(userId);
      });
      await session.clear();
      return done;
    },

    acceptInvitation: async ({ body: { token, password, name }, address, requestId, ...entering }) => {
      mayTry(address);
      const { email, workspaceId } = await invitations.lookAt(token);
      const signedIn = await sessions.who(entering.session.secret);
      if (signedIn !== undefined && (!hasPasswords || password === '')) {
        await invitations.accept(token, signedIn, name);
        // A new session would count as a recent sign-in, although nobody proved anything.
        await sessions.openWorkspace(signedIn, workspaceId);
        return recordOf(signedIn, workspaceId);
      }
      mustHavePasswords();
      const userId = await guarded({ email, address, event: 'invitation.failed', requestId }, () =>
        invitations.accept(token, { password }, name),
      );
      return enter(userId, ['password'], entering);
    },

    createWorkspace: async ({ signedIn, body }) => {
      const workspaceId = await people.createWorkspace(signedIn.userId, body.name);
      await sessions.openWorkspace(signedIn, workspaceId);
      return recordOf(signedIn, workspaceId);
    },

    openWorkspace: async ({ signedIn, params }) => {
      await people.openWorkspace(signedIn.userId, params.id);
      await sessions.openWorkspace(signedIn, params.id);
      return recordOf(signedIn, params.id);
    },

    changeWorkspace: async ({
      caller,
      signedIn,
      body: { password = '', code = '', ...change },
      address,
      requestId,
    }) => {
      const { workspaceId, userId } = caller;
      if (await people.isLowered(workspaceId, change)) await mustProve(signedIn, { password, code }, address);
      await transaction(async () => {
        await people.changeWorkspace(caller, change);
        await audit.write({ event: 'workspace.changed', workspaceId, userId, requestId, details: change });
      });
      return recordOf(signedIn);
    },

    handOver: async ({ caller, signedIn, body, requestId }) => {
      await members.handOver(caller, body, requestId);
      return recordOf(signedIn);
    },

    askDeletion: async ({ caller, signedIn, body, requestId }) => {
      await deletion.ask(caller, body.name, requestId);
      return recordOf(signedIn);
    },

    takeBackDeletion: async ({ caller, signedIn, requestId }) => {
      await deletion.takeBack(caller, requestId);
      return recordOf(signedIn);
    },

    listMembers: async ({ caller }) => ({ members: await members.list(caller.workspaceId) }),
    changeMember: ({ caller, params, body: { role, approver } }) =>
      transaction(async () => {
        if (role === undefined && approver === undefined) {
          throw badInput({ path: 'role', code: 'Required', message: 'or approver is required' });
        }
        const member = role === undefined ? undefined : await members.changeRole(caller, params.id, role);
        if (member && approver === undefined) return member;
        return members.nameApprover(caller, params.id, approver === true);
      }),
    removeMember: async ({ caller, params }) => {
      await members.remove(caller, params.id);
      return done;
    },
    listInvitations: async ({ caller }) => ({ invitations: await invitations.list(caller.workspaceId) }),
    invite: ({ caller, body }) => invitations.invite(caller, body),
    withdrawInvitation: async ({ caller, params }) => {
      await invitations.withdraw(caller, params.id);
      return done;
    },
  };
};
