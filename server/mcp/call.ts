import type { Caller } from '#server/context';
import { Refusal } from '#server/errors';
import { type Approvals, runForAgent } from '#server/run-for-agent';
import type { CallableTool } from './tools.ts';
import { pendingInWords, refusalInWords, requestsInWords } from './words.ts';

/** Runs a tool. Answers the members of a tools/call result; for a refusal too, because the model has to read it. */
export const callTool = async (
  { name, action }: CallableTool,
  args: unknown,
  caller: Caller,
  approvals: Approvals,
): Promise<string> => {
  try {
    const { asked, output, requests } = await runForAgent(action, args, caller, approvals);
    if (asked) {
      const { approvalUrl } = asked;
      const pending = JSON.stringify({ status: 'pending_approval', action: action.name, approvalUrl });
      return success(pending, pendingInWords(name, asked));
    }
    const json = JSON.stringify(output);
    return success(json, requests.length > 0 ? `${json}\n\n${requestsInWords(requests)}` : json);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'Internal') throw error;
    return refused(error);
  }
};

/** For the model to read, and perhaps to do better. */
export const refused = (refusal: Refusal) => `${content(refusalInWords(refusal))},"isError":true`;

const content = (text: string) => `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;

const success = (json: string, text: string) => `${content(text)},"structuredContent":${json},"isError":false`;
