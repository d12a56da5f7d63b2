import { type Approvers, anyOf } from '#server/agents/approvals/approvers';
import type { ApprovalCards, RequestedApproval } from '#server/agents/approvals/cards';
import { DoneWithRequest, NeedsApproval } from '#server/base/approval';
import { agentNameOf } from '#server/base/context';
import type { JsonText } from '#server/base/json/json-text';
import type { AdmittedCall, RunnableAction, RunOutcome } from './admission.ts';

/** The request that was made instead. */
export interface Asked extends RequestedApproval {
  /** Tells a person who asked for whom it waits. */
  readonly message: string;
}

export type DoneOrAsked =
  | { readonly done: JsonText; readonly asked?: never }
  | { readonly done?: never; readonly asked: Asked };

export type RunOrAsk = ReturnType<typeof createRunOrAsk>;

/**
 * Runs an admitted call. If a person has to approve it first, a person of the app or an agent asks for that; a token
 * cannot, and is refused.
 */
export const createRunOrAsk =
  ({ cards, approvers }: { cards: Pick<ApprovalCards, 'request'>; approvers: Approvers }) =>
  async (
    action: RunnableAction,
    call: AdmittedCall,
    {
      requestId,
      once = (run) => run(),
      forget = async () => undefined,
    }: {
      requestId?: string | undefined;
      /** For a call that can be repeated: stores what came of it, or returns what was stored. */
      once?: (run: () => Promise<RunOutcome>) => Promise<RunOutcome>;
      /** Removes what `once` stored, since it was taken back. */
      forget?: () => Promise<unknown>;
    } = {},
  ): Promise<DoneOrAsked> => {
    const { caller, input } = call;
    const client = agentNameOf(caller);
    const ask = async (request: { action: string; input: Record<string, unknown> }): Promise<Asked> => {
      const requested = await cards.request({ caller, ...(client !== undefined && { client }), ...request, requestId });
      const names = (await approvers.list(caller)).map(({ name }) => name);
      return { ...requested, message: `Asked; waiting for ${anyOf(names)}.` };
    };

    const prepared = await action.prepare(call);
    const outcome = prepared instanceof NeedsApproval ? prepared : await once(() => action.run(prepared));
    if (outcome instanceof NeedsApproval) {
      if (!caller.isPerson && client === undefined) throw outcome.refusal;
      return { asked: await ask({ action: action.name, input }) };
    }
    if (outcome instanceof DoneWithRequest) {
      await ask(outcome.request).catch(async (error: unknown) => {
        await outcome.takeBack();
        await forget();
        throw error;
      });
      return { done: outcome.output };
    }
    return { done: outcome };
  };
