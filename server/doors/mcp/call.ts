import type { MediaItem } from '#contracts/media';
import { Post } from '#contracts/posts';
import type { RunnableAction } from '#server/agents/admission';
import type { AgentCall, RunForAgent } from '#server/agents/approvals/run-for-agent';
import type { Caller } from '#server/base/context';
import { Refusal } from '#server/base/errors';
import type { MediaLibrary } from '#server/media/library';
import type { Reading } from '#server/writing/posts/reading';
import type { SummaryContext } from './describe-summary.ts';
import {
  describeDuplicate,
  describeOutput,
  describePending,
  describeRefusal,
  describeRequests,
} from './descriptions.ts';
import type { CallableTool } from './tools.ts';

/** Runs a tool. Returns the members of a tools/call result, also for a refusal, because the model has to read it. */
export const createCallTool =
  ({
    runForAgent,
    findDuplicate,
    readPictures,
    readSummaryContext,
    inToolNames,
  }: {
    runForAgent: RunForAgent;
    findDuplicate: Reading['findDuplicate'];
    readPictures: MediaLibrary['readPictures'];
    readSummaryContext: (caller: Caller) => Promise<SummaryContext>;
    inToolNames: (text: string) => string;
  }) =>
  async ({ name, action }: CallableTool, call: Omit<AgentCall, 'action'>): Promise<string> => {
    const { args, caller } = call;
    try {
      const { pending: request, output, requests } = await runForAgent({ action, ...call });
      if (request) {
        const { approvalUrl } = request;
        const pending = JSON.stringify({ status: 'pending_approval', action: action.name, approvalUrl });
        return success(pending, describePending(name, request));
      }
      const text = await describeOutput(action, output.value, {
        args: Object(args),
        readSummaryContext: () => readSummaryContext(caller),
      });
      const duplicate = isNewPost(action, args) ? await findDuplicate(caller, (output.value as Post).id) : undefined;
      const more = [
        ...(duplicate ? [describeDuplicate(duplicate)] : []),
        ...(requests.length > 0 ? [describeRequests(requests)] : []),
      ];
      return success(
        output.text,
        [text, ...more].join('\n\n'),
        await readPictures(picturesIn(action, args, output.value)),
      );
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'Internal') throw error;
      return refused(error, inToolNames);
    }
  };

/** Some clients send a call twice, which creates two drafts, so the answer names the other one. */
const isNewPost = ({ action }: RunnableAction, args: unknown) =>
  action.kind === 'Write' && action.output === Post && !Object.hasOwn(Object(args), 'id');

/** The files that the model asked to look at. */
const picturesIn = ({ name }: RunnableAction, args: unknown, output: unknown): readonly MediaItem[] => {
  const { show, ids = [] } = args as { show?: boolean; ids?: readonly string[] };
  if (name !== 'media.list' || !show || ids.length === 0) return [];
  return (output as { media: MediaItem[] }).media.filter(({ kind }) => kind === 'Image');
};

/** A tool result and not a protocol error, so that the model reads it and can correct its call. */
export const refused = (refusal: Refusal, inToolNames: (text: string) => string) =>
  `${content(inToolNames(describeRefusal(refusal)))},"isError":true`;

const content = (text: string, pictures: readonly Buffer[] = []) => {
  const images = pictures.map((bytes) => ({ type: 'image', data: bytes.toString('base64'), mimeType: 'image/webp' }));
  return `"content":${JSON.stringify([{ type: 'text', text }, ...images])}`;
};

const success = (json: string, text: string, pictures?: readonly Buffer[]) =>
  `${content(text, pictures)},"structuredContent":${json},"isError":false`;
