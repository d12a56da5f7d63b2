import { Post } from '#contracts/posts';
import type { RunnableAction } from '#server/admission';
import { type Approvals, runForAgent } from '#server/approvals/run-for-agent';
import type { Caller } from '#server/context';
import { Refusal } from '#server/errors';
import {
  describeDuplicate,
  describeOutput,
  describePending,
  describeRefusal,
  describeRequests,
} from './descriptions.ts';
import type { CallableTool } from './tools.ts';

/** Runs a tool. Returns the members of a tools/call result, also for a refusal, because the model has to read it. */
export const callTool = async (
  { name, action }: CallableTool,
  args: unknown,
  caller: Caller,
  approvals: Approvals,
  findDuplicate: (postId: string) => Promise<string | undefined>,
  inToolNames: (text: string) => string,
): Promise<string> => {
  try {
    const { pending: request, output, requests } = await runForAgent(action, args, caller, approvals);
    if (request) {
      const { approvalUrl } = request;
      const pending = JSON.stringify({ status: 'pending_approval', action: action.name, approvalUrl });
      return success(pending, describePending(name, request));
    }
    const text = describeOutput(action.action, output.value);
    const duplicate = isNewPost(action, args) ? await findDuplicate((output.value as Post).id) : undefined;
    const more = [
      ...(duplicate ? [describeDuplicate(duplicate)] : []),
      ...(requests.length > 0 ? [describeRequests(requests)] : []),
    ];
    return success(output.text, [text, ...more].join('\n\n'));
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'Internal') throw error;
    return refused(error, inToolNames);
  }
};

/** Some clients send a call twice, which makes two drafts: the answer names the other one. */
const isNewPost = ({ action }: RunnableAction, args: unknown) =>
  action.kind === 'Write' && action.output === Post && !Object.hasOwn(Object(args), 'id');

/** A tool result and not a protocol error, so that the model reads it and can correct its call. */
export const refused = (refusal: Refusal, inToolNames: (text: string) => string) =>
  `${content(inToolNames(describeRefusal(refusal)))},"isError":true`;

const content = (text: string) => `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;

const success = (json: string, text: string) => `${content(text)},"structuredContent":${json},"isError":false`;
