import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Action, Approval, Route } from '#contracts/define';
import type { Role } from '#contracts/scopes';
import { keyOfAddress, type RateLimit } from '#server/access/auth/rate-limit';
import { hashToken } from '#server/access/auth/token-format';
import { DoneWithRequest, mustBeDone, NeedsApproval, needsApproval } from '#server/base/approval';
import type { ApprovalRun, Caller, Handler, ReadyPost, RouteCall } from '#server/base/context';
import { badInput, issuesOf, pageOf, Refusal } from '#server/base/errors';
import { JsonText, jsonOf } from '#server/base/json/json-text';

/**
 * Every action and route is checked here, whichever entry point it came through: sender, then role, then input. The
 * entry points only read credentials and bodies. `runOrAsk` then runs actions and the routes that people may ask for,
 * and `http/app-routes.ts` the other routes.
 */

/** A request that is not authenticated yet. `res` gets the rate limit headers. */
export interface UnauthenticatedRequest {
  readonly rateLimit: Pick<RateLimit, 'take'>;
  readonly address: string | undefined;
  readonly res: ServerResponse;
}

/**
 * Counts the request against its sender's rate limit. A request without a sender counts against its IP address and is
 * refused.
 */
export const mustHaveSender = <Sender>(
  { rateLimit, address, res }: UnauthenticatedRequest,
  sender: Sender | undefined,
  rateKey: string | undefined,
  refuse: () => Refusal,
): Sender => {
  rateLimit.take(rateKey ?? keyOfAddress(address), res);
  if (sender === undefined) throw refuse();
  return sender;
};

/**
 * Counts a request whose token is valid but whose user may not enter, for example without the second factor that the
 * workspace requires. It counts against the token, not the IP address, from which the user may need to sign in and set
 * the factor up.
 */
export const countRefused =
  ({ rateLimit, res }: UnauthenticatedRequest, bearer: string) =>
  (error: unknown): never => {
    const isForbidden = error instanceof Refusal && error.code === 'Forbidden';
    if (isForbidden) rateLimit.take(`refused ${hashToken(bearer).toString('hex')}`, res);
    throw error;
  };

/** What the role check needs of an action or a route. */
interface Operation {
  /** Absent for a route of the app: people know its button, not its name. */
  readonly name?: string;
  /** Absent: every role is allowed. */
  readonly roles?: readonly Role[] | undefined;
}

/** SPEC, Personal API tokens 8. The only place that compares a role with a declaration. */
export const mustAllow = ({ name, roles }: Operation, { role }: Pick<Caller, 'role'>) => {
  if (roles === undefined || roles.includes(role)) return;
  const who = `${/^[aeo]/.test(role) ? 'An' : 'A'} ${role}`;
  throw new Refusal(
    'Forbidden',
    `${who} may not ${name === undefined ? 'do this' : `use ${name}`}. It takes one of: ${roles.join(', ')}.`,
  );
};

/** Applies defaults. Throws BadInput naming each wrong field. */
export const parseInput = <Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> => {
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw badInput(...issuesOf(parsed.error, input));
  return parsed.data;
};

export type Actions = Readonly<Record<string, Action>>;
/** One handler for each action. A missing one does not compile. */
export type Handlers<A extends Actions> = { readonly [N in keyof A]: Handler<A[N]> };

declare const admitted: unique symbol;

/** A call whose role and input were checked. Only `admit` makes one, so no unchecked call can reach `run`. */
export interface AdmittedCall {
  readonly input: Record<string, unknown>;
  readonly caller: Caller;
  /** After `prepare`, if the action makes a post ready. */
  readonly ready?: ReadyPost;
  readonly [admitted]: true;
}

/** An action with its schema and handler. */
export interface RunnableAction {
  readonly name: string;
  readonly action: Action;
  /** Checks the role, then the input. */
  admit(input: unknown, caller: Caller): AdmittedCall;
  /** Does slow work such as downloads. Call it before `run`, outside a transaction. */
  prepare(call: AdmittedCall): Promise<AdmittedCall | NeedsApproval>;
  /** Runs the handler, unless a person has to approve the call first. */
  run(call: AdmittedCall, approval?: ApprovalRun): Promise<RunOutcome>;
}

export type RunOutcome = JsonText | NeedsApproval | DoneWithRequest;

/** For a caller who may publish, and so asks nobody. A card prepared its call before. */
export const runNow = async (action: RunnableAction, call: AdmittedCall, approval?: ApprovalRun): Promise<JsonText> => {
  const prepared = approval ? call : mustBeDone(await action.prepare(call));
  const outcome = mustBeDone(await action.run(prepared, approval));
  if (outcome instanceof DoneWithRequest) throw new Error(`${action.name} asks for the rest: run it with runOrAsk`);
  return outcome;
};

/** NotFound for a post or account that the workspace does not have. */
export type MustExist = (caller: Caller, subject: Approval['subject'], id: string) => Promise<unknown>;

export const prepareActions = <A extends Actions>(
  actions: A,
  handlers: Handlers<A>,
  baseUrl: string,
  mustExist: MustExist = async () => undefined,
): ReadonlyMap<string, RunnableAction> =>
  new Map(
    Object.entries(actions).map(([name, action]) => {
      const handler = handlers[name] as unknown as Handler<Action>;
      return [name, prepare(name, action, handler, baseUrl, mustExist)];
    }),
  );

const prepare = (
  name: string,
  action: Action,
  handler: Handler<Action>,
  baseUrl: string,
  mustExist: MustExist,
): RunnableAction => {
  const operation: Operation = { name, roles: action.roles };
  const runCall = typeof handler === 'function' ? handler : handler.run;
  // Compiled at the first call: a command prepares all actions and runs none.
  let inputSchema: Action['input'] | undefined;
  let outputSchema: Action['output'] | undefined;
  return {
    name,
    action,
    admit: (input, caller) => {
      mustAllow(operation, caller);
      inputSchema ??= z.compile(action.input);
      return { input: parseInput(inputSchema, input), caller } as AdmittedCall;
    },
    prepare: async (call) => {
      if (typeof handler === 'function') return call;
      const { caller } = call;
      const prepared = await handler.prepare({ input: call.input, caller });
      return prepared instanceof NeedsApproval ? prepared : ({ ...prepared, caller } as AdmittedCall);
    },
    run: async (call, approval) => {
      const { input, caller } = call;
      const missing = findMissing(name, action, call, baseUrl);
      if (missing) {
        // The refusal links to the page of the post or account, so check first that it exists.
        if (action.approval) await mustExist(caller, action.approval.subject, String(input.id));
        return missing;
      }
      const answer = await runCall({ input, caller, preparation: approval ?? call.ready });
      if (isOutcome(answer)) return answer;
      // The schema drops every field that the contract does not declare.
      outputSchema ??= z.compile(action.output);
      return jsonOf(outputSchema.parse(answer));
    },
  };
};

/** The approval that a call needs whatever its subject is. Where drafts are free, the rule decides under its lock. */
const findMissing = (
  name: string,
  { kind, approval }: Action,
  { input, caller }: AdmittedCall,
  baseUrl: string,
): NeedsApproval | undefined => {
  if (kind !== 'NeedsApproval' || (caller.isPerson && approval?.areDraftsFree)) return undefined;
  return needsApproval(caller, name, pageOf(baseUrl, approval?.subject, input.id));
};

const isOutcome = (answer: unknown): answer is RunOutcome =>
  answer instanceof JsonText || answer instanceof NeedsApproval || answer instanceof DoneWithRequest;

type RouteWithApproval = Route & { readonly approval: Approval; readonly params: z.ZodObject };
type RunRoute = (call: Pick<RouteCall<Route>, 'approval'> & Record<string, unknown>) => Promise<unknown>;

/** Routes of the app that declare `approval`, as actions: whoever may not publish asks for them, and a card runs them. */
export const prepareRoutes = (
  routes: Readonly<Record<string, Route>>,
  handlers: Readonly<Record<string, unknown>>,
  baseUrl: string,
): ReadonlyMap<string, RunnableAction> =>
  new Map(
    Object.entries(routes).flatMap(([name, route]) => {
      const handler = handlers[name] as RunRoute | undefined;
      return hasApproval(route) && handler ? [[name, prepareRoute(name, route, handler, baseUrl)] as const] : [];
    }),
  );

const hasApproval = (route: Route): route is RouteWithApproval => route.approval !== undefined;

const prepareRoute = (name: string, route: RouteWithApproval, handler: RunRoute, baseUrl: string): RunnableAction => {
  const { params, body = z.strictObject({}), approval, roles = [], summary, description, errors } = route;
  const action: Action = {
    kind: 'NeedsApproval',
    scope: 'posts:publish',
    mcp: 'Never',
    input: z.strictObject({ ...params.shape, ...body.shape }),
    output: route.responses[200]?.body as z.ZodObject,
    examples: [],
    approval,
    roles,
    summary,
    description,
    errors,
  };
  const pick = (input: Record<string, unknown>, { shape }: z.ZodObject) =>
    Object.fromEntries(Object.entries(input).filter(([field]) => field in shape));
  return {
    name,
    action,
    admit: (input, caller) => {
      mustAllow({ roles }, caller);
      return { input: parseInput(action.input, input), caller } as AdmittedCall;
    },
    prepare: async (call) => call,
    run: async (call, approval) => {
      const missing = findMissing(name, action, call, baseUrl);
      if (missing) return missing;
      const { input, caller } = call;
      const answer = await handler({ params: pick(input, params), body: pick(input, body), caller, approval });
      return isOutcome(answer) ? answer : jsonOf(action.output.parse(answer));
    },
  };
};

export const findAction = (actions: ReadonlyMap<string, RunnableAction>, name: string): RunnableAction => {
  const action = actions.get(name);
  if (action === undefined) {
    throw new Refusal(
      'UnknownAction',
      `There is no action ${name.slice(0, 100)}. GET /api/agent/tools lists them all.`,
    );
  }
  return action;
};
