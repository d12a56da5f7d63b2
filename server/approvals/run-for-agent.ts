import { Post } from '#contracts/posts';
import type { RunnableAction } from '#server/admission';
import type { Caller } from '#server/context';
import { Refusal } from '#server/errors';
import type { JsonText } from '#server/json/json-text';
import type { RequestNews } from './card-view.ts';
import type { ApprovalCards, Asked } from './cards.ts';

/** How an agent asks a human, and learns what became of it. */
export interface Approvals {
  readonly request: (action: string, input: Record<string, unknown>) => ReturnType<ApprovalCards['request']>;
  readonly about: (postId: string) => ReturnType<ApprovalCards['about']>;
}

/** What came of it; or, in its place, the card that waits for a human now. */
type AgentOutcome =
  | { readonly asked: Asked; readonly output?: never; readonly requests?: never }
  | { readonly asked?: never; readonly output: JsonText; readonly requests: readonly RequestNews[] };

/** An action for somebody who is not a human: an MCP client, or the assistant. What needs approval becomes a card. */
export const runForAgent = async (
  action: RunnableAction,
  args: unknown,
  caller: Caller,
  approvals: Approvals,
): Promise<AgentOutcome> => {
  const call = action.admit(args, caller);
  const { input } = call;
  try {
    const output = await action.run(call);
    const isKnownPost = action.action.output === Post && typeof input.id === 'string';
    return { output, requests: isKnownPost ? await approvals.about(String(input.id)) : [] };
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'ApprovalRequired')) throw error;
    return { asked: await approvals.request(action.name, input) };
  }
};
