import type { PeopleRoutes } from '#contracts/people';
import type { WorkspaceRoutes } from '#contracts/workspaces';
import type { AuditLog } from '#server/audit/audit-log';
import type { Sessions } from '#server/auth/sessions';
import type { RouteHandlers, SessionCookie } from '#server/context';
import type { Members } from './members.ts';
import type { People } from './people.ts';

interface Try {
  readonly address: string;
  readonly account: string;
}

/** Signing in, workspaces and members. */
export const workspaceRoutes = ({
  people,
  members,
  sessions,
  audit,
  tries,
  forgetUser,
}: {
  people: People;
  members: Members;
  sessions: Sessions;
  audit: AuditLog;
  /** Refuses when an address tried too often, or an account was tried with too many wrong passwords. */
  tries: { begin(of: Try): void; failed(of: Try): void };
  /** Ends what MCP clients were granted. */
  forgetUser: (userId: string) => Promise<void>;
}): RouteHandlers<PeopleRoutes & WorkspaceRoutes> => {
  /** The one way in: a fresh session in the cookie. */
  const enter = async (userId: string, session: SessionCookie) => {
    session.set(await sessions.begin(userId));
    return people.session(userId);
  };
  const done = { done: true } as const;

  return {
    getSession: ({ signedIn }) => people.session(signedIn.userId),

    signUp: async ({ body, session }) => enter((await people.setUp(body)).userId, session),

    signIn: async ({ body, session, address, requestId }) => {
      const of = { address, account: body.email.toLowerCase() };
      tries.begin(of);
      const record = (event: string, userId?: string) =>
        audit.write({ event, userId, requestId, details: { email: body.email, address } });
      try {
        const userId = await people.signIn(body.email, body.password);
        await record('sign-in.succeeded', userId);
        return await enter(userId, session);
      } catch (error) {
        tries.failed(of);
        await record('sign-in.failed');
        throw error;
      }
    },

    signOut: async ({ session }) => {
      await sessions.end(session.secret);
      await session.clear();
      return done;
    },

    changePassword: async ({ signedIn: { userId }, body, session, requestId }) => {
      await people.changePassword(userId, body.current, body.next);
      await sessions.endOthers(userId, session.secret);
      await forgetUser(userId);
      await audit.write({ event: 'password.changed', userId, requestId });
      return done;
    },

    acceptInvitation: async ({ body, session, address }) => {
      tries.begin({ address, account: body.token });
      return enter(await members.accept(body.token, body.password), session);
    },

    createWorkspace: async ({ signedIn: { userId }, body }) => {
      await people.createWorkspace(userId, body.name);
      return people.session(userId);
    },

    openWorkspace: async ({ signedIn: { userId }, params }) => {
      await people.openWorkspace(userId, params.id);
      return people.session(userId);
    },

    changeWorkspace: async ({ caller, body }) => {
      await people.changeWorkspace(caller.workspaceId, body);
      return people.session(caller.userId);
    },

    listMembers: async ({ caller }) => ({ members: await members.list(caller.workspaceId) }),
    changeMember: ({ caller, params, body }) => members.changeRole(caller, params.id, body.role),
    removeMember: async ({ caller, params }) => {
      await members.remove(caller, params.id);
      return done;
    },
    listInvitations: async ({ caller }) => ({ invitations: await members.invitations(caller.workspaceId) }),
    invite: ({ caller, body }) => members.invite(caller, body),
    withdrawInvitation: async ({ caller, params }) => {
      await members.withdraw(caller, params.id);
      return done;
    },
  };
};
