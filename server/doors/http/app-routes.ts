import type { IncomingMessage } from 'node:http';
import type { RequestValidationError } from '@ts-rest/express';
import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import type { RawRoute, Route } from '#contracts/define';
import type { SessionDoor } from '#server/access/auth/session-door';
import { findAction, mustAllow, type RunnableAction } from '#server/agents/admission';
import type { RunOrAsk } from '#server/agents/run-or-ask';
import type { Caller, RequestContext } from '#server/base/context';
import { badInput, issuesOf } from '#server/base/errors';
import type { IdempotentAnswers } from '#server/base/idempotency/answers';
import { keyOf, markReplayed } from '#server/base/idempotency/header';
import { mustBeRun } from './asked.ts';
import { isWrite, type Person, type ReceiveFrom, type Visitor } from './authenticate.ts';
import { readJson } from './body.ts';
import { noBody, type Reader } from './receive.ts';

declare module 'node:http' {
  interface IncomingMessage {
    /** Set before ts-rest validates the input. */
    visitor?: Visitor;
  }
}

/** Reads the body and returns it with the caller, who may still send it. */
export type Admit = <Body>(
  req: Request,
  res: Response,
  reader: Reader<Caller, Body>,
) => Promise<{ sender: Caller; body: Body }>;
/** Serves multipart forms and leaves JSON to ts-rest. */
export type FormRoute = (admit: Admit) => RequestHandler;
/** Writes its response itself, for a person who was admitted. A write has its JSON in `req.body`. */
export type OwnHandler<Params> = (req: Request<Params>, res: Response, person: Person) => unknown;

/** Writes its response itself, for a person or a token that `admit` admits with their body. */
export type AdmittedHandler<Params> = (req: Request<Params>, res: Response, admit: Admit) => unknown;

/** One for each route that accepts a form. A missing one does not compile. */
export type FormRoutes<Routes extends Readonly<Record<string, Route>>> = {
  readonly [N in keyof Routes as Routes[N] extends { form: z.ZodObject } ? N : never]: FormRoute;
};

/** One for each path that is declared with a handler of its own. A missing one does not compile. */
export type OwnHandlers<Paths extends Readonly<Record<string, RawRoute>>> = {
  readonly [N in keyof Paths as Paths[N]['handler'] extends 'Own' ? N : never]: Paths[N]['access'] extends 'Session'
    ? OwnHandler<ParamsOf<Paths[N]['path']>>
    : Paths[N]['access'] extends 'SessionOrToken'
      ? AdmittedHandler<ParamsOf<Paths[N]['path']>>
      : RequestHandler<ParamsOf<Paths[N]['path']>>;
};

type ParamsOf<Path extends string> = Path extends `${string}:${string}`
  ? { [Name in NamesIn<Path>]: string }
  : Record<string, string>;
type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

interface TsRestCall extends Record<'params' | 'query' | 'body', unknown> {
  readonly req: Request;
  readonly res: Response;
}

export type AppRoutes = ReturnType<typeof createAppRoutes>;

/** Admits requests for the declared paths and passes them to their handlers. The generated router mounts it. */
export const createAppRoutes = ({
  receiveFrom,
  requestable,
  runOrAsk,
  answers,
  routeName,
  door,
  mustBeOperator,
  endElsewhere,
}: {
  readonly receiveFrom: ReceiveFrom;
  /** Routes that declare `approval`, by name. */
  readonly requestable: ReadonlyMap<string, RunnableAction>;
  readonly runOrAsk: RunOrAsk;
  readonly answers: IdempotentAnswers;
  readonly routeName: (route: Route) => string;
  readonly door: SessionDoor;
  readonly mustBeOperator: (req: IncomingMessage) => void;
  /** Ends the session at the identity provider too. */
  readonly endElsewhere: (req: Request, res: Response) => Promise<void>;
}) => {
  const admit = async <Identified extends Visitor>(operation: Route | RawRoute, identifying: Promise<Identified>) => {
    const visitor = await identifying;
    if (visitor.caller) mustAllow(operation, visitor.caller);
    return visitor;
  };
  const admitTo = <Body>(route: Route | RawRoute, req: Request, res: Response, reader: Reader<Visitor, Body>) =>
    receiveFrom(req, (authenticate) => admit(route, authenticate.byAccess(route, req, res)), reader);
  /** For operations that take a role, so that the visitor has a workspace. */
  const admitCaller = async <Body>(
    route: Route | RawRoute,
    req: Request,
    res: Response,
    { read, discard }: Reader<Caller, Body>,
  ) => {
    const reader = { read: ({ caller }: Visitor) => read(caller as Caller), ...(discard && { discard }) };
    const { sender, body } = await admitTo(route, req, res, reader);
    return { sender: sender.caller as Caller, body };
  };

  const contextOf = (req: Request, res: Response): RequestContext => ({
    requestId: req.requestId,
    address: req.ip ?? '',
    userAgent: req.get('user-agent') ?? '',
    exchange: { req, res },
    session: {
      secret: door.secretOf(req) ?? '',
      set: (secret: string) => door.set(res, secret),
      pending: door.pendingOf(req) ?? '',
      setPending: (secret: string) => door.setPending(res, secret),
      clear: async () => {
        door.clear(res);
        await endElsewhere(req, res);
      },
    },
  });

  return {
    /** Identifies the caller on the path that runs actions. */
    admit:
      ({ access }: RawRoute): Admit =>
      (req, res, reader) =>
        receiveFrom(
          req,
          async (authenticate) =>
            access === 'PersonalToken'
              ? authenticate.byToken(req, res)
              : (await authenticate.byPerson(req, res)).caller,
          reader,
        ),

    /** ts-rest validates the input between the middleware and the handler. */
    typed: (route: Route, handle: (call: never) => Promise<unknown>) => {
      const schema = onlyResponse(route);
      const action = route.approval && findAction(requestable, routeName(route));
      return {
        middleware: [
          async (req: Request, res: Response, next: () => void) => {
            const { sender, body } = await admitTo(route, req, res, jsonOf(req));
            req.visitor = sender;
            req.body = body;
            next();
          },
        ],
        handler: async ({ params, query, body, req, res }: TsRestCall) => {
          const input = { params: route.params && params, query: route.query && query, body: route.body && body };
          const run = () => handle({ ...contextOf(req, res), ...input, ...req.visitor } as never);
          const caller = req.visitor?.caller;
          if (action && caller) {
            const call = action.admit({ ...Object(input.params), ...Object(input.body) }, caller);
            const { value } = mustBeRun(await runOrAsk(action, call, { requestId: req.requestId }));
            return { status: 200, body: value };
          }
          const { idempotent } = route;
          const key = idempotent && idempotent !== 'InHandler' ? keyOf(req) : undefined;
          if (caller && schema && key !== undefined) {
            const request = `${routeName(route)} ${JSON.stringify(input)}`;
            if (typeof idempotent === 'object') {
              const body = await answers.onceWithSecret(caller, key, request, idempotent.onRepeat, async () =>
                schema.parse(await run()),
              );
              return { status: 200, body };
            }
            const { answer, replayed } = await answers.once(caller, key, request, async () =>
              JSON.stringify(schema.parse(await run())),
            );
            if (replayed) markReplayed(res);
            return { status: 200, body: JSON.parse(answer) };
          }
          const answer = await run();
          // Parsing also drops fields that the contract does not declare.
          return schema ? { status: 200, body: schema.parse(answer) } : answer;
        },
      };
    },

    /** Turns ts-rest's validation error into BadInput. */
    refuseInput: (
      { body, query, pathParams }: RequestValidationError,
      { body: sent, query: search, params }: Request,
    ) => {
      if (body) throw badInput(...issuesOf(body as z.ZodError, sent));
      if (query) throw badInput(...issuesOf(query as z.ZodError, search));
      throw badInput(...issuesOf(pathParams as z.ZodError, params));
    },

    form: (route: Route, serve: FormRoute) => serve((req, res, reader) => admitCaller(route, req, res, reader)),

    own: (path: RawRoute, handler: RequestHandler | OwnHandler<Record<string, string>>): RequestHandler => {
      const serve = handler as RequestHandler;
      if (path.access === 'Operator') {
        return (req, res, next) => {
          mustBeOperator(req);
          return serve(req, res, next);
        };
      }
      if (path.access === 'SessionOrToken') {
        const handle = handler as unknown as AdmittedHandler<Record<string, string>>;
        return async (req, res) => {
          await handle(req as Request<Record<string, string>>, res, (...call) => admitCaller(path, ...call));
        };
      }
      if (path.access !== 'Session') return serve;
      return async (req, res) => {
        const { sender: person, body } = await receiveFrom(
          req,
          (authenticate) => admit(path, authenticate.byPerson(req, res)),
          jsonOf(req),
        );
        req.body = body;
        await (handler as OwnHandler<Record<string, string>>)(req as Request<Record<string, string>>, res, person);
      };
    },
  };
};

const jsonOf = (req: Request) => (isWrite(req) ? { read: () => readJson(req) } : noBody);

/** The schema of the body, if 200 is the only declared status. */
const onlyResponse = ({ responses }: Route) =>
  Object.keys(responses).join() === '200' ? responses[200]?.body : undefined;
