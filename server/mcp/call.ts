import type { Issue } from '#contracts/errors';
import type { ApprovalCards } from '#server/approvals/cards';
import type { Caller } from '#server/context';
import { Refusal } from '#server/errors';
import type { CallableTool } from './tools.ts';

export type RequestApproval = ApprovalCards['request'];

/** Runs a tool. Answers the members of a tools/call result; for a refusal too, because the model has to read it. */
export const callTool = async (
  { name, action }: CallableTool,
  args: unknown,
  caller: Caller,
  askHuman: (action: string, input: Record<string, unknown>) => ReturnType<RequestApproval>,
): Promise<string> => {
  try {
    const input = action.parse(args);
    try {
      const json = JSON.stringify(await action.run(input, caller));
      return success(json, json);
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'ApprovalRequired')) throw error;
      return pending(name, action.name, (await askHuman(action.name, input)).approvalUrl);
    }
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'Internal') throw error;
    return refused(error);
  }
};

/** For the model to read, and perhaps to do better. */
export const refused = (refusal: Refusal) => `${content(inWords(refusal))},"isError":true`;

const content = (text: string) => `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;

const success = (json: string, text: string) => `${content(text)},"structuredContent":${json},"isError":false`;

const pending = (tool: string, action: string, approvalUrl: string) =>
  success(
    JSON.stringify({ status: 'pending_approval', action, approvalUrl }),
    `${tool} has not run: a human must approve it in Posthorn first, at ${approvalUrl}. ` +
      `The request is waiting there. Tell the user, and do not call ${tool} again for it.`,
  );

const inWords = ({ code, message, issues }: Refusal) =>
  [`${code}: ${message}`, ...issues.map((issue) => issueInWords(issue, code))].join('\n');

/** Of an input: field and sentence. Of a post: the place, and a sentence of its own. */
const issueInWords = ({ path, message, ...facts }: Issue, code: string) =>
  `- ${path}${code === 'BadInput' ? '' : ':'} ${message} (${Object.entries(facts)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')})`;
