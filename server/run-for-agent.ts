import { Post } from '#contracts/posts';
import type { RequestNews } from '#server/approvals/card-view';
import type { ApprovalCards, Asked } from '#server/approvals/cards';
import type { RunnableAction } from './admission.ts';
import type { Caller } from './context.ts';
import { Refusal } from './errors.ts';
import type { JsonText } from './json-text.ts';

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
