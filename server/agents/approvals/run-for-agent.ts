import { Post } from '#contracts/posts';
import type { RunnableAction } from '#server/agents/admission';
import type { Caller } from '#server/base/context';
import { Refusal } from '#server/base/errors';
import type { JsonText } from '#server/base/json/json-text';
import type { RequestState } from './card-view.ts';
import type { ApprovalCards, RequestedApproval } from './cards.ts';

/** How an agent requests an approval, and reads the state of earlier requests. */
export interface Approvals {
  readonly request: (action: string, input: Record<string, unknown>) => ReturnType<ApprovalCards['request']>;
  readonly about: (postId: string) => ReturnType<ApprovalCards['about']>;
  readonly deletionOf: (postId: string) => ReturnType<ApprovalCards['deletionOf']>;
}

/** The output of the action, or the approval request that was made instead. */
type AgentOutcome =
  | { readonly pending: RequestedApproval; readonly output?: never; readonly requests?: never }
  | { readonly pending?: never; readonly output: JsonText; readonly requests: readonly RequestState[] };

/** Runs an action for an MCP client or the assistant. An action that needs approval becomes a card. */
export const runForAgent = async (
  action: RunnableAction,
  args: unknown,
  caller: Caller,
  approvals: Approvals,
): Promise<AgentOutcome> => {
  const call = action.admit(args, caller);
  const { input } = call;
  try {
    const output = await action.run(await action.prepare(call));
    const isPost = action.action.output === Post && typeof input.id === 'string';
    return { output, requests: isPost ? await approvals.about(String(input.id)) : [] };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'NotFound') throw await explainDeletion(error, String(input.id), approvals);
    if (error.code !== 'ApprovalRequired') throw error;
    return { pending: await approvals.request(action.name, input) };
  }
};

/** Tells the agent that its request deleted the post, so that it does not suspect a wrong id. */
const explainDeletion = async (notFound: Refusal, postId: string, approvals: Approvals) => {
  const deletion = await approvals.deletionOf(postId);
  return deletion
    ? new Refusal(
        'NotFound',
        `The post ${postId} was deleted at ${deletion.decidedAt}, as asked in ${deletion.cardId}.`,
      )
    : notFound;
};
