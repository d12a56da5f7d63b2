import { z } from 'zod';
import type { Action } from '#contracts/define';
import type { ApprovalRun, Caller, Handler, Output } from './context.ts';
import { approvalRequired, badInput, issuesOf, pageOf, Refusal } from './errors.ts';
import { JsonText } from './json-text.ts';

export type Actions = Readonly<Record<string, Action>>;
/** One handler for each action, which takes the input of that action. A missing one does not compile. */
export type Handlers<A extends Actions> = { readonly [N in keyof A]: Handler<A[N]> };
/** For each action what writes its answer: exactly the declared fields. */
export type Writers<A extends Actions> = { readonly [N in keyof A]: (output: Output<A[N]>) => string };

/** An action ready to run: schemas compiled, handler found. */
export interface RunnableAction {
  readonly name: string;
  readonly action: Action;
  /** The input with its defaults, or BadInput naming the field. */
  parse(input: unknown): Record<string, unknown>;
  /** Refuses a caller whose role does not allow it; `run` does so by itself. */
  mustAllow(caller: Caller): void;
  /** Role, approval, handler, output: the same for every door. */
  run(input: Record<string, unknown>, caller: Caller, approval?: ApprovalRun): Promise<JsonText>;
}

/** One action, whichever door it came through: parse → role → approval → handler → output. */
export const prepareActions = <A extends Actions>(
  actions: A,
  handlers: Handlers<A>,
  writers: Writers<A>,
  baseUrl: string,
): ReadonlyMap<string, RunnableAction> =>
  new Map(
    Object.entries(actions).map(([name, action]) => {
      const handler = handlers[name] as unknown as Handler<Action>;
      return [name, prepare(name, action, handler, writers[name] as (output: unknown) => string, baseUrl)];
    }),
  );

const prepare = (
  name: string,
  action: Action,
  handler: Handler<Action>,
  write: (output: unknown) => string,
  baseUrl: string,
): RunnableAction => {
  // When it is first needed: a command prepares all of them and runs none.
  let inputSchema: typeof action.input | undefined;
  const mustAllow = ({ role }: Caller) => {
    if (action.roles.includes(role)) return;
    throw new Refusal('Forbidden', `A ${role} may not use ${name}. It takes one of: ${action.roles.join(', ')}.`);
  };
  return {
    name,
    action,
    mustAllow,
    parse: (input) => {
      inputSchema ??= z.compile(action.input);
      const parsed = inputSchema.safeParse(input);
      if (!parsed.success) throw badInput(...issuesOf(parsed.error, input));
      return parsed.data;
    },
    run: async (input, caller, approval) => {
      mustAllow(caller);
      if (action.kind === 'NeedsApproval' && !caller.human)
        throw approvalRequired(name, pageOf(baseUrl, action.approval?.subject, input.id));
      const answer = await handler({ input, caller, approval });
      // Writing it also keeps out what the contract does not show.
      return answer instanceof JsonText ? answer : new JsonText(write(answer));
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
