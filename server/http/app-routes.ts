import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import type { RawRoute, Route } from '#contracts/define';
import type { Role } from '#contracts/scopes';
import { keyOfAddress, type RateLimit } from '#server/auth/rate-limit';
import type { SessionDoor } from '#server/auth/session-cookie';
import type { Caller, Visit } from '#server/context';
import { badInput, issuesOf, Refusal } from '#server/errors';
import type { SignedIn } from '#server/signed-in';
import type { Authenticate } from './authenticate.ts';
import { readJson } from './body.ts';

interface GuardParts {
  readonly door: SessionDoor;
  readonly authenticate: Authenticate;
  readonly rateLimit: RateLimit;
  readonly mustBeOperator: (req: IncomingMessage) => void;
  /** Ends the session at the identity provider too. */
  readonly endElsewhere: (req: Request, res: Response) => Promise<void>;
}

export type Identify = (req: Request, res: Response) => Promise<Caller>;
/** Serves a form to those who are admitted, and leaves JSON to ts-rest. */
export type FormRoute = (admit: Identify) => RequestHandler;
/** Writes its answer itself, for somebody who is admitted. */
export type OwnHandler<Params> = (req: Request<Params>, res: Response, signedIn: SignedIn) => unknown;

export type Guards = ReturnType<typeof createGuards>;

/** Checks session, role, origin and body for every path that the contracts declare. */
export const createGuards = (parts: GuardParts) => {
  const { door, authenticate, rateLimit, endElsewhere } = parts;
  const admitted = new WeakMap<ServerResponse, { route: Route; signedIn?: SignedIn; caller?: Caller }>();

  const enter = async (route: Route, req: Request, res: Response) => {
    const { access, roles } = route;
    const byToken =
      access === 'PersonalToken' || (access === 'SessionOrToken' && req.headers.authorization !== undefined);
    if (byToken) admitted.set(res, { route, caller: await tokenCaller(req, res, parts, roles) });
    else if (access === 'Session' || access === 'SessionOrToken') {
      const signedIn = await signedInOn(req, res, parts);
      if (roles) mustBeOpen(signedIn, req.get(workspaceHeader));
      admitted.set(res, { route, signedIn, ...(roles && { caller: callerIn(signedIn, roles) }) });
    } else {
      if (access === 'Public') rateLimit.take(keyOfAddress(req.ip), res);
      admitted.set(res, { route });
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      if (!byToken) door.mustBeOwnPage(req);
      req.body = await readJson(req);
    }
  };

  return {
    /** Before the input is looked at. */
    admit: (route: Route) => async (req: Request, res: Response, next: () => void) => {
      await enter(route, req, res);
      next();
    },
    signedIn: (res: ServerResponse): SignedIn => known(admitted.get(res)?.signedIn),
    caller: (res: ServerResponse): Caller => known(admitted.get(res)?.caller),

    visit: (req: Request, res: Response): Visit => ({
      requestId: req.requestId,
      address: req.ip ?? '',
      userAgent: req.get('user-agent') ?? '',
      exchange: { req, res },
      session: {
        secret: door.secretOf(req) ?? '',
        set: (secret: string) => door.set(res, secret),
        clear: async () => {
          door.clear(res);
          await endElsewhere(req, res);
        },
      },
    }),

    /** ts-rest knows that the input is wrong; this names the field. */
    refuseInput: (_error: unknown, req: Request, res: Response) => {
      const { route } = known(admitted.get(res));
      const parts: [z.ZodType | undefined, unknown][] = [
        [route.body, req.body],
        [route.query, req.query],
        [route.params, req.params],
      ];
      for (const [schema, input] of parts) {
        const parsed = schema?.safeParse(input);
        if (parsed?.success === false) throw badInput(...issuesOf(parsed.error, input));
      }
    },

    byToken: async (req: Request, res: Response) => (await authenticate(req, res)).caller,
    byPerson: async (req: Request, res: Response) => {
      const signedIn = await signedInOn(req, res, parts);
      door.mustBeOwnPage(req);
      mustBeOpen(signedIn, req.get(workspaceHeader));
      return callerIn(signedIn);
    },

    /** For a form, which ts-rest does not read. */
    writer:
      ({ access, roles }: Pick<Route, 'access' | 'roles'>) =>
      async (req: Request, res: Response): Promise<Caller> => {
        if (access === 'SessionOrToken' && req.headers.authorization !== undefined)
          return tokenCaller(req, res, parts, roles);
        const signedIn = await signedInOn(req, res, parts);
        door.mustBeOwnPage(req);
        mustBeOpen(signedIn, req.get(workspaceHeader));
        return callerIn(signedIn, roles);
      },

    forPerson:
      <Params extends Record<string, string>>(
        { roles }: RawRoute,
        handler: OwnHandler<Params>,
      ): RequestHandler<Params> =>
      async (req, res) => {
        const signedIn = await signedInOn(req, res, parts);
        if (req.method !== 'GET' && req.method !== 'HEAD') door.mustBeOwnPage(req);
        mustBeOpen(signedIn, req.get(workspaceHeader));
        callerIn(signedIn, roles);
        await handler(req, res, signedIn);
      },

    mustBeOperator: (req: Request, _res: Response, next: () => void) => {
      parts.mustBeOperator(req);
      next();
    },
  };
};

/** For values that the declaration of the route guarantees. */
const known = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('a handler asks for somebody whom its route does not admit');
  return value;
};

/** SPEC, Personal API tokens 4: whatever a token may not reach answers 403. */
const signedInOn = async (req: Request, res: Response, { door, authenticate, rateLimit }: GuardParts) => {
  if (req.headers.authorization !== undefined) {
    await authenticate(req, res);
    throw new Refusal('Forbidden', 'A token cannot do this. Sign in to the app.');
  }
  const signedIn = await door.who(req);
  rateLimit.take(signedIn ? signedIn.userId : keyOfAddress(req.ip), res);
  if (signedIn === undefined) throw new Refusal('Unauthorized', 'Nobody is signed in. Sign in to the app.');
  return signedIn;
};

/** Sent by the app with every request: the workspace that its page was made in. */
export const workspaceHeader = 'posthorn-workspace';

/** Another tab may have switched the workspace: what was meant for one workspace never lands in another. */
export const mustBeOpen = ({ workspace }: SignedIn, meant: string | undefined) => {
  if (meant === undefined || meant === workspace?.id) return;
  const now = workspace ? `Another tab switched to ${workspace.name}` : 'This workspace is no longer open';
  throw new Refusal(
    'Conflict',
    `${now}. Nothing was done and your text is kept; switch back to the workspace of this page, or load the page again.`,
  );
};

/** The person in the workspace that is open, if their role there is one of these. */
export const callerIn = ({ userId, workspace }: SignedIn, roles?: Route['roles']): Caller => {
  if (workspace === undefined) throw new Refusal('Forbidden', 'No workspace is open. Make one or open one.');
  mustBeOneOf(roles, workspace.role);
  return { userId, workspaceId: workspace.id, role: workspace.role, human: true };
};

const tokenCaller = async (req: Request, res: Response, { authenticate }: GuardParts, roles: Route['roles']) => {
  const { caller } = await authenticate(req, res);
  mustBeOneOf(roles, caller.role);
  return caller;
};

const mustBeOneOf = (roles: Route['roles'], role: Role) => {
  if (roles && !roles.includes(role)) {
    throw new Refusal('Forbidden', `The role ${role} does not allow this. It takes one of: ${roles.join(', ')}.`);
  }
};
