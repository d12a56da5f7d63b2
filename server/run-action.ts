import { z } from 'zod';
import type { Action } from '#contracts/define';
import type { Caller, Handler } from './context.ts';
import { approvalRequired, badInput, issuesOf, pageOf, Refusal } from './errors.ts';

export type Actions = Readonly<Record<string, Action>>;
/** One handler for each action, which takes the input of that action. A missing one does not compile. */
export type Handlers<A extends Actions> = { readonly [N in keyof A]: Handler<A[N]> };

/** An action ready to run: schemas compiled, handler found. */
export interface RunnableAction {
  readonly name: string;
  readonly action: Action;
  /** The input with its defaults, or BadInput naming the field. */
  parse(input: unknown): Record<string, unknown>;
  /** Role, approval, handler, output: the same for every door. */
  run(input: Record<string, unknown>, caller: Caller): Promise<unknown>;
}

/** One action, whichever door it came through: parse → role → approval → handler → output. */
export const prepareActions = <A extends Actions>(
  actions: A,
  handlers: Handlers<A>,
  baseUrl: string,
): ReadonlyMap<string, RunnableAction> =>
  new Map(
    Object.entries(actions).map(([name, action]) => [
      name,
      prepare(name, action, handlers[name] as unknown as Handler<Action>, baseUrl),
    ]),
  );

const prepare = (name: string, action: Action, handler: Handler<Action>, baseUrl: string): RunnableAction => {
  const inputSchema = z.compile(action.input);
  const outputSchema = z.compile(action.output);
  return {
    name,
    action,
    parse: (input) => {
      const parsed = inputSchema.safeParse(input);
      if (!parsed.success) throw badInput(...issuesOf(parsed.error, input));
      return parsed.data;
    },
    run: async (input, caller) => {
      if (!action.roles.includes(caller.role)) {
        throw new Refusal(
          'Forbidden',
          `A ${caller.role} may not use ${name}. It takes one of: ${action.roles.join(', ')}.`,
        );
      }
      if (action.kind === 'NeedsApproval' && !caller.human)
        throw approvalRequired(name, pageOf(baseUrl, action.approval?.subject, input.id));
      // Parsing the answer also keeps out what the contract does not show.
      return outputSchema.parse(await handler({ input, caller }));
    },
  };
};

export const findAction = (actions: ReadonlyMap<string, RunnableAction>, name: string): RunnableAction => {
  const found = actions.get(name);
  if (found === undefined) {
    throw new Refusal(
      'UnknownAction',
      `There is no action ${name.slice(0, 100)}. GET /api/agent/tools lists them all.`,
    );
  }
  return found;
};
