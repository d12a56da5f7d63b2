import { Post } from '#contracts/posts';
import type { RunnableAction } from '#server/admission';
import { type Approvals, runForAgent } from '#server/approvals/run-for-agent';
import type { Caller } from '#server/context';
import { Refusal } from '#server/errors';
import type { CallableTool } from './tools.ts';
import { outputInWords, pendingInWords, refusalInWords, requestsInWords, twinInWords } from './words.ts';

/** Runs a tool. Answers the members of a tools/call result; for a refusal too, because the model has to read it. */
export const callTool = async (
  { name, action }: CallableTool,
  args: unknown,
  caller: Caller,
  approvals: Approvals,
  postAlike: (postId: string) => Promise<string | undefined>,
  inToolNames: (text: string) => string,
): Promise<string> => {
  try {
    const { pending: request, output, requests } = await runForAgent(action, args, caller, approvals);
    if (request) {
      const { approvalUrl } = request;
      const pending = JSON.stringify({ status: 'pending_approval', action: action.name, approvalUrl });
      return success(pending, pendingInWords(name, request));
    }
    const told = outputInWords(action.action, output.value);
    const twin = isNewPost(action, args) ? await postAlike((output.value as Post).id) : undefined;
    const more = [...(twin ? [twinInWords(twin)] : []), ...(requests.length > 0 ? [requestsInWords(requests)] : [])];
    return success(output.text, [told, ...more].join('\n\n'));
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'Internal') throw error;
    return refused(error, inToolNames);
  }
};

/** Some clients send a call twice: then there are two drafts, and the model is told so. */
const isNewPost = ({ action }: RunnableAction, args: unknown) =>
  action.kind === 'Write' && action.output === Post && !Object.hasOwn(Object(args), 'id');

/** For the model to read, and perhaps to do better. */
export const refused = (refusal: Refusal, inToolNames: (text: string) => string) =>
  `${content(inToolNames(refusalInWords(refusal)))},"isError":true`;

const content = (text: string) => `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;

const success = (json: string, text: string) => `${content(text)},"structuredContent":${json},"isError":false`;
