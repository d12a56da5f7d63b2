import type { PeopleRoutes } from '#contracts/people';
import type { WorkspaceRoutes } from '#contracts/workspaces';
import type { AuditLog } from '#server/audit/audit-log';
import { emailKey } from '#server/auth/email-address';
import type { PasswordTries } from '#server/auth/password-tries';
import type { Sessions } from '#server/auth/sessions';
import type { RouteHandlers, SessionCookie } from '#server/context';
import { Refusal } from '#server/errors';
import type { SignedIn } from '#server/signed-in';
import type { Deletion } from './deletion.ts';
import type { ForgottenPassword } from './forgotten-password.ts';
import type { Invitations } from './invitations.ts';
import type { Members } from './members.ts';
import { isWrongPassword, type People } from './people.ts';
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
  welcome,
  deletion,
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
  welcome: Welcome;
  deletion: Deletion;
  forgotten: ForgottenPassword;
  audit: AuditLog;
  tries: PasswordTries;
  /** Limits attempts per IP address, over all accounts. */
  mayTry: (address: string) => void;
  /** Keeps related changes atomic, also when the process is killed. */
  transaction: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** False where an outside identity provider signs people in. */
  hasPasswords: boolean;
  baseUrl: string;
  production: boolean;
  report: (error: unknown) => void;
  /** Ends what MCP clients were granted. */
  forgetUser: (userId: string) => Promise<void>;
  revokeTokens: (userId: string) => Promise<unknown>;
}): RouteHandlers<PeopleRoutes & WorkspaceRoutes> => {
  /** Every sign-in ends here, with a new session in the cookie. */
  const enter = async (userId: string, { session, userAgent }: BrowserSession) => {
    const secret = await sessions.begin(userId, { userAgent });
    session.set(secret);
    const signedIn = await sessions.who(secret);
    return people.session({ userId, workspaceId: signedIn?.workspace?.id });
  };

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
      const secret = await welcome.enter(body.secret, userAgent);
      const signedIn = secret === undefined ? undefined : await sessions.who(secret);
      if (secret === undefined || signedIn === undefined) {
        throw new Refusal('NotFound', 'This link was used, replaced or is too old. Make a new one: npx posthorn link');
      }
      session.set(secret);
      return recordOf(signedIn);
    },

    getSession: ({ signedIn }) => recordOf(signedIn),

    signUp: async ({ body: { code, ...first }, address, ...entering }) => {
      mustHavePasswords();
      mayTry(address);
      const mayBeFirst = () => welcome.isFirstOwnerCode(code);
      return enter((await people.setUp(first, { mayBeFirst })).userId, entering);
    },

    signIn: async ({ body: { email, password }, address, requestId, ...entering }) => {
      mustHavePasswords();
      mayTry(address);
      const userId = await guarded({ email, address, event: 'sign-in.failed', requestId }, () =>
        people.signIn(email, password),
      );
      const workspaceId = await people.lastWorkspace(userId);
      await audit.write({ event: 'sign-in.succeeded', workspaceId, userId, requestId, details: { email, address } });
      return enter(userId, entering);
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
      const { userId, email, byLink, workspace } = signedIn;
      await guarded({ email, address, event: 'password.failed', requestId }, () =>
        transaction(async () => {
          await people.changePassword(userId, body.next, byLink ? undefined : body.current);
          await sessions.endOthers(userId, session.secret);
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
        await forgetUser(resetUserId);
        if (endTokens) await revokeTokens(resetUserId);
        const workspaceId = await people.lastWorkspace(resetUserId);
        const details = { address, endTokens };
        await audit.write({ event: 'password.reset', workspaceId, userId: resetUserId, requestId, details });
        return resetUserId;
      });
      return enter(userId, entering);
    },

    changeProfile: async ({ signedIn, body }) => {
      await people.changeProfile(signedIn.userId, body);
      return recordOf(signedIn);
    },

    acceptInvitation: async ({ body: { token, password, name }, address, requestId, ...entering }) => {
      mayTry(address);
      const { email } = await invitations.lookAt(token);
      const { secret } = entering.session;
      const signedIn = await sessions.who(secret);
      if (signedIn !== undefined && (!hasPasswords || password === '')) {
        const userId = await invitations.accept(token, signedIn, name);
        await sessions.end(secret);
        return enter(userId, entering);
      }
      mustHavePasswords();
      const userId = await guarded({ email, address, event: 'invitation.failed', requestId }, () =>
        invitations.accept(token, { password }, name),
      );
      return enter(userId, entering);
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

    changeWorkspace: async ({ caller, signedIn, body, requestId }) => {
      const { workspaceId, userId } = caller;
      await transaction(async () => {
        await people.changeWorkspace(workspaceId, body);
        await audit.write({ event: 'workspace.changed', workspaceId, userId, requestId, details: { ...body } });
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
    changeMember: ({ caller, params, body }) => members.changeRole(caller, params.id, body.role),
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
