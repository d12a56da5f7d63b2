import { jsonSchema, type Tool, tool } from 'ai';
import type { CatalogEntry } from '#contracts/catalog';
import type { RunnableAction } from '#server/agents/admission';
import type { RunForAgent } from '#server/agents/approvals/run-for-agent';
import { asAgent, type Caller } from '#server/base/context';
import { Refusal } from '#server/base/errors';

/** Bounds of one answer: characters that a model reads from an action, and the number of actions. */
const outputCharacters = 40_000;
const textCharacters = 600;
const maxActions = 24;

/** Not every vendor allows dots in tool names. */
export const toolName = (action: string) => action.replace('.', '_');

export interface ToolUser {
  /** Looked up again before each action, so that a person who was removed meanwhile can do nothing more. */
  readonly caller: () => Promise<Caller>;
  readonly timeZone: string;
  /** Whether the model may know which page is open. */
  readonly sees: boolean;
  readonly requestId: string;
  readonly nextFreeSlot: (caller: Caller, postId: string) => Promise<string | undefined>;
  readonly report: (error: unknown) => void;
}

/**
 * A tool for each action, except those for the web app only. They run as the user but never count as a human's click.
 */
export const createTools =
  ({
    catalog,
    actions,
    runForAgent,
  }: {
    catalog: readonly CatalogEntry[];
    actions: ReadonlyMap<string, RunnableAction>;
    runForAgent: RunForAgent;
  }) =>
  (user: ToolUser): Record<string, Tool> => {
    let used = 0;
    const run = async (action: RunnableAction, entry: CatalogEntry, args: unknown) => {
      if (++used > maxActions) {
        throw new Refusal('TooManyRequests', `One answer uses at most ${maxActions} actions. Tell what you have.`);
      }
      const caller: Caller = asAgent(await user.caller(), { kind: 'Assistant' });
      const { pending, output, requests } = await runForAgent({
        action,
        args: withTimeZone(args, entry, user.timeZone),
        caller,
        requestId: user.requestId,
      });
      if (pending === undefined) {
        return shorten(requests.length > 0 ? { ...(output.value as object), requests } : output.value);
      }
      const { cardId, approvalUrl, asks, before } = pending;
      return {
        status: 'pending_approval',
        action: action.name,
        cardId,
        approvalUrl,
        asks,
        ...(before && { before }),
        message: 'It has not run. A person decides on the card that the user sees. Do not call it again.',
      };
    };

    /** Turns a refusal into a result that the model can read. */
    const toResult = async (work: () => Promise<unknown>, signal: AbortSignal | undefined) => {
      signal?.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        if (error instanceof Refusal && error.code !== 'Internal') return { error: error.body };
        user.report(error);
        return { error: { code: 'Internal', message: 'Something went wrong on the server. Try again later.' } };
      }
    };

    /** Slots belong to the app, so no action reads them. */
    const slotsNext = tool({
      description:
        'When a post can go out next: the first weekly slot of the workspace that is free for its accounts, as an ISO-8601 instant. Nothing is reserved.',
      inputSchema: jsonSchema<{ postId: string }>({
        type: 'object',
        properties: { postId: { type: 'string', description: 'Post id, prefix `post_`' } },
        required: ['postId'],
        additionalProperties: false,
      }),
      execute: ({ postId }, { abortSignal }) =>
        toResult(async () => {
          const at = await user.nextFreeSlot(asAgent(await user.caller()), postId);
          return at === undefined ? { message: 'No slot is free, or the workspace has none.' } : { at };
        }, abortSignal),
    });

    const actionTools = Object.fromEntries(
      catalog.flatMap((entry) => {
        const action = actions.get(entry.name);
        if (action === undefined || action.action.appOnly) return [];
        if (!user.sees && entry.name === 'ui.getContext') return [];
        const actionTool = tool({
          description: entry.description,
          inputSchema: jsonSchema<Record<string, unknown>>(entry.inputSchema),
          execute: (args: Record<string, unknown>, { abortSignal }) =>
            toResult(() => run(action, entry, args), abortSignal),
        });
        return [[toolName(entry.name), actionTool as Tool]];
      }),
    );
    return { ...actionTools, slots_next: slotsNext as Tool };
  };

/** Fills in the user's time zone if the action accepts one and the model did not name it. */
const withTimeZone = (args: unknown, { inputSchema }: CatalogEntry, timeZone: string) => {
  const { properties } = inputSchema as { properties?: Record<string, unknown> };
  return properties?.timeZone === undefined ? args : { timeZone, ...(args as object) };
};

/** Cuts a long output and says so, because a model that writes a text back must have read all of it. */
const shorten = (output: unknown): unknown => {
  const { length } = JSON.stringify(output);
  if (length <= outputCharacters) return output;
  const part = JSON.parse(JSON.stringify(output, (_key, value) => (typeof value === 'string' ? cut(value) : value)));
  const leftOut = `This has ${length} characters, which is too long: texts in it are cut. Ask for less, such as a smaller limit.`;
  const text = JSON.stringify(part);
  return text.length <= outputCharacters
    ? { leftOut, part }
    : { leftOut, part: `${text.slice(0, outputCharacters).toWellFormed()} … cut here` };
};

const cut = (text: string) =>
  text.length <= textCharacters
    ? text
    : `${text.slice(0, textCharacters).toWellFormed()} … (${text.length - textCharacters} more characters)`;
