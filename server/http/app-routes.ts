import { type AppRouter, isAppRoute } from '@ts-rest/core';
import { createExpressEndpoints } from '@ts-rest/express';
import type { Express, Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import type { Route } from '#contracts/define';
import type { Role } from '#contracts/scopes';
import type { SignedIn } from '#server/auth/sign-in';
import type { Caller, RouteCall, RouteHandlers } from '#server/context';
import { badInput, issuesOf, Refusal } from '#server/errors';
import type { Authenticate } from './authenticate.ts';
import { readJson } from './body.ts';
import type { RateLimit } from './rate-limit.ts';
import type { SessionDoor } from './session.ts';

type Routes = Readonly<Record<string, Route>>;

export interface Doorkeepers {
  readonly door: SessionDoor;
  readonly authenticate: Authenticate;
  readonly rateLimit: RateLimit;
  /** Ends the session at the identity provider too. */
  readonly endElsewhere: (req: Request, res: Response) => Promise<void>;
}

/** The paths of the app through ts-rest: session, role, own page, body and shape are checked here, for all of them. */
export const serveAppRoutes = <R extends Routes>(
  app: Express,
  contract: AppRouter,
  routes: R,
  handlers: RouteHandlers<R>,
  keepers: Doorkeepers,
) => {
  const implementation = Object.fromEntries(
    Object.entries(routes).map(([name, route]) => [name, implement(route, handlers[name] as Handler, keepers)]),
  );
  createExpressEndpoints(contract, implementation as never, app, {
    logInitialization: false,
    globalMiddleware: [admit(keepers) as never],
    requestValidationErrorHandler: ({ body, pathParams, query }, req) => {
      const [error, input] = body
        ? [body, req.body as unknown]
        : query
          ? [query, req.query as unknown]
          : [pathParams, req.params];
      throw badInput(...issuesOf(error as unknown as z.ZodError, input));
    },
  });
};

interface Received {
  readonly body: unknown;
  readonly params: unknown;
  readonly query: unknown;
  readonly req: Request;
  readonly res: Response;
}

type Handler = (call: RouteCall<Route>) => Promise<unknown>;

const implement =
  (route: Route, handler: Handler, { door, endElsewhere }: Doorkeepers) =>
  async ({ body, params, query, req, res }: Received) => {
    const answer = await handler({
      body,
      params,
      query,
      ...res.locals,
      requestId: req.requestId,
      address: req.ip ?? '',
      session: {
        secret: door.secretOf(req) ?? '',
        set: (secret: string) => door.set(res, secret),
        clear: async () => {
          door.clear(res);
          await endElsewhere(req, res);
        },
      },
    } as RouteCall<Route>);
    return { status: 200, body: route.responses[200]?.body.parse(answer) };
  };

/** Before the input is looked at. */
const admit =
  (keepers: Doorkeepers): RequestHandler =>
  async (req, res, next) => {
    const { tsRestRoute } = req as unknown as { tsRestRoute: AppRouter };
    const { access, roles } = (isAppRoute(tsRestRoute) ? tsRestRoute.metadata : {}) as Pick<Route, 'access' | 'roles'>;
    const byToken = access === 'SessionOrToken' && req.headers.authorization !== undefined;
    if (byToken) res.locals.caller = await tokenCaller(req, res, keepers, roles);
    else if (access === 'Session' || access === 'SessionOrToken') {
      const signedIn = await signedInOn(req, res, keepers);
      res.locals.signedIn = signedIn;
      if (roles) res.locals.caller = callerIn(signedIn, roles);
    } else keepers.rateLimit.take(`address ${req.ip}`, res);
    if (req.method !== 'GET') {
      if (!byToken) keepers.door.mustBeOwnPage(req);
      req.body = await readJson(req);
    }
    next();
  };

/** SPEC, Personal API tokens 4: whatever a token may not reach answers 403. */
const signedInOn = async (req: Request, res: Response, { door, authenticate, rateLimit }: Doorkeepers) => {
  if (req.headers.authorization !== undefined) {
    await authenticate(req, res);
    throw new Refusal('Forbidden', 'A token cannot do this. Sign in to the app.');
  }
  const signedIn = await door.who(req);
  rateLimit.take(signedIn ? signedIn.userId : `address ${req.ip}`, res);
  if (signedIn === undefined) throw new Refusal('Unauthorized', 'Nobody is signed in. Sign in to the app.');
  return signedIn;
};

/** The person in the workspace that is open, if their role there is one of these. */
export const callerIn = ({ userId, workspace }: SignedIn, roles?: Route['roles']): Caller => {
  if (workspace === undefined) throw new Refusal('Forbidden', 'No workspace is open. Make one or open one.');
  mustBeOneOf(roles, workspace.role);
  return { userId, workspaceId: workspace.id, role: workspace.role, human: true };
};

const tokenCaller = async (req: Request, res: Response, { authenticate }: Doorkeepers, roles: Route['roles']) => {
  const { caller } = await authenticate(req, res);
  mustBeOneOf(roles, caller.role);
  return caller;
};

const mustBeOneOf = (roles: Route['roles'], role: Role) => {
  if (roles && !roles.includes(role)) {
    throw new Refusal('Forbidden', `The role ${role} does not allow this. It takes one of: ${roles.join(', ')}.`);
  }
};

/** For paths beside the contract: the same admission, without roles. */
export const createAdmission = (keepers: Doorkeepers) => (req: Request, res: Response) => signedInOn(req, res, keepers);

/** For writes beside ts-rest that a personal token reaches as well. */
export const createWriterAdmission =
  (keepers: Doorkeepers, { roles }: Pick<Route, 'roles'>) =>
  async (req: Request, res: Response): Promise<Caller> => {
    if (req.headers.authorization !== undefined) return tokenCaller(req, res, keepers, roles);
    const signedIn = await signedInOn(req, res, keepers);
    keepers.door.mustBeOwnPage(req);
    return callerIn(signedIn, roles);
  };
