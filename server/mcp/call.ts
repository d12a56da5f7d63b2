import type { Caller } from '#server/context';
import { Refusal } from '#server/errors';
import { type Approvals, runForAgent } from '#server/run-for-agent';
import type { CallableTool } from './tools.ts';
import { outputInWords, pendingInWords, refusalInWords, requestsInWords } from './words.ts';

/** Runs a tool. Answers the members of a tools/call result; for a refusal too, because the model has to read it. */
export const callTool = async (
  { name, action }: CallableTool,
  args: unknown,
  caller: Caller,
  approvals: Approvals,
  inToolNames: (text: string) => string,
): Promise<string> => {
  try {
    const { asked, output, requests } = await runForAgent(action, args, caller, approvals);
    if (asked) {
      const { approvalUrl } = asked;
      const pending = JSON.stringify({ status: 'pending_approval', action: action.name, approvalUrl });
      return success(pending, pendingInWords(name, asked));
    }
    const told = outputInWords(action.action, output.value);
    const text = requests.length > 0 ? `${told}\n\n${requestsInWords(requests)}` : told;
    return success(output.text, text);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'Internal') throw error;
    return refused(error, inToolNames);
  }
};

/** For the model to read, and perhaps to do better. */
export const refused = (refusal: Refusal, inToolNames: (text: string) => string) =>
  `${content(inToolNames(refusalInWords(refusal)))},"isError":true`;

const content = (text: string) => `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;

const success = (json: string, text: string) => `${content(text)},"structuredContent":${json},"isError":false`;
