import { Post } from '#contracts/posts';
import type { RunnableAction } from '#server/agents/admission';
import type { Asked, RunOrAsk } from '#server/agents/run-or-ask';
import type { Caller } from '#server/base/context';
import { Refusal } from '#server/base/errors';
import type { JsonText } from '#server/base/json/json-text';
import type { RequestState } from './card-view.ts';
import type { ApprovalCards } from './cards.ts';

export interface AgentCall {
  readonly action: RunnableAction;
  readonly args: unknown;
  /** Acts for a person: see `asAgent`. */
  readonly caller: Caller;
  readonly requestId: string;
}

/** The output of the action, or the approval request that was made instead. */
type AgentOutcome =
  | { readonly pending: Asked; readonly output?: never; readonly requests?: never }
  | { readonly pending?: never; readonly output: JsonText; readonly requests: readonly RequestState[] };

export type RunForAgent = ReturnType<typeof createRunForAgent>;

/** Runs an action for an MCP client or the assistant. */
export const createRunForAgent = ({
  runOrAsk,
  cards,
}: {
  runOrAsk: RunOrAsk;
  cards: Pick<ApprovalCards, 'about' | 'deletionOf'>;
}) => {
  /** Tells the agent that its request deleted the post, so that it does not suspect a wrong id. */
  const explainDeletion = async (notFound: Refusal, caller: Caller, postId: string) => {
    const deletion = await cards.deletionOf(caller, postId);
    return deletion
      ? new Refusal(
          'NotFound',
          `The post ${postId} was deleted at ${deletion.decidedAt}, as asked in ${deletion.cardId}.`,
        )
      : notFound;
  };

  return async ({ action, args, caller, requestId }: AgentCall): Promise<AgentOutcome> => {
    const call = action.admit(args, caller);
    const id = String(call.input.id);
    try {
      const { done, asked } = await runOrAsk(action, call, { requestId });
      if (asked) return { pending: asked };
      const isPost = action.action.output === Post && typeof call.input.id === 'string';
      return { output: done, requests: isPost ? await cards.about(caller, id) : [] };
    } catch (error) {
      const isNotFound = error instanceof Refusal && error.code === 'NotFound';
      throw isNotFound ? await explainDeletion(error, caller, id) : error;
    }
  };
};
