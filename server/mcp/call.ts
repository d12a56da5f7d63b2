import { Post } from '#contracts/posts';
import type { ApprovalCards } from '#server/approvals/cards';
import type { Caller } from '#server/context';
import { Refusal } from '#server/errors';
import type { CallableTool } from './tools.ts';
import { pendingInWords, refusalInWords, requestsInWords } from './words.ts';

/** How the door asks a human, and tells what became of it. */
export interface Approvals {
  readonly request: (action: string, input: Record<string, unknown>) => ReturnType<ApprovalCards['request']>;
  readonly about: (postId: string) => ReturnType<ApprovalCards['about']>;
}

/** Runs a tool. Answers the members of a tools/call result; for a refusal too, because the model has to read it. */
export const callTool = async (
  { name, action }: CallableTool,
  args: unknown,
  caller: Caller,
  approvals: Approvals,
): Promise<string> => {
  try {
    const input = action.parse(args);
    try {
      const json = JSON.stringify(await action.run(input, caller));
      const isKnownPost = action.action.output === Post && typeof input.id === 'string';
      const requests = isKnownPost ? await approvals.about(String(input.id)) : [];
      return success(json, requests.length > 0 ? `${json}\n\n${requestsInWords(requests)}` : json);
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'ApprovalRequired')) throw error;
      const asked = await approvals.request(action.name, input);
      const { approvalUrl } = asked;
      const pending = JSON.stringify({ status: 'pending_approval', action: action.name, approvalUrl });
      return success(pending, pendingInWords(name, asked));
    }
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'Internal') throw error;
    return refused(error);
  }
};

/** For the model to read, and perhaps to do better. */
export const refused = (refusal: Refusal) => `${content(refusalInWords(refusal))},"isError":true`;

const content = (text: string) => `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;

const success = (json: string, text: string) => `${content(text)},"structuredContent":${json},"isError":false`;
