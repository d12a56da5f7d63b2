import { jsonSchema, type Tool, tool } from 'ai';
import type { CatalogEntry } from '#contracts/catalog';
import type { RunnableAction } from '#server/admission';
import { type Approvals, runForAgent } from '#server/approvals/run-for-agent';
import type { Caller } from '#server/context';
import { Refusal } from '#server/errors';

/** Of one answer: what a model may read of an action, and how many actions it may use. */
const outputCharacters = 40_000;
const textCharacters = 600;
const mostActions = 24;

/** As the models of all vendors take names: without dots. */
export const toolName = (action: string) => action.replace('.', '_');

export interface ToolUser {
  /** Who asks, looked up again before each action: somebody who was removed meanwhile does nothing more. */
  readonly caller: () => Promise<Caller>;
  readonly timeZone: string;
  /** Whether it may know which page is open. */
  readonly sees: boolean;
  readonly approvals: (caller: Caller) => Approvals;
  readonly nextFreeSlot: (caller: Caller, postId: string) => Promise<string | undefined>;
  readonly report: (error: unknown) => void;
}

/** Every action that is not for the web app alone. They run as the user, who is not asked: so never as a human. */
export const createTools =
  ({ catalog, actions }: { catalog: readonly CatalogEntry[]; actions: ReadonlyMap<string, RunnableAction> }) =>
  (user: ToolUser): Record<string, Tool> => {
    let used = 0;
    const run = async (action: RunnableAction, entry: CatalogEntry, args: unknown) => {
      if (++used > mostActions) {
        throw new Refusal('TooManyRequests', `One answer uses at most ${mostActions} actions. Tell what you have.`);
      }
      const caller: Caller = { ...(await user.caller()), human: false, client: { kind: 'Assistant' } };
      const { asked, output, requests } = await runForAgent(
        action,
        withTimeZone(args, entry, user.timeZone),
        caller,
        user.approvals(caller),
      );
      if (asked === undefined) {
        return shortened(requests.length > 0 ? { ...(output.value as object), requests } : output.value);
      }
      const { cardId, approvalUrl } = asked;
      return {
        status: 'pending_approval',
        action: action.name,
        cardId,
        approvalUrl,
        message: 'It has not run. A person decides on the card that the user sees. Do not call it again.',
      };
    };

    /** What it read, or the refusal in words for the model. */
    const answered = async (work: () => Promise<unknown>, signal: AbortSignal | undefined) => {
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
        answered(async () => {
          const at = await user.nextFreeSlot({ ...(await user.caller()), human: false }, postId);
          return at === undefined ? { message: 'No slot is free, or the workspace has none.' } : { at };
        }, abortSignal),
    });

    const ofActions = Object.fromEntries(
      catalog.flatMap((entry) => {
        const action = actions.get(entry.name);
        if (action === undefined || action.action.appOnly) return [];
        if (!user.sees && entry.name === 'ui.getContext') return [];
        const made = tool({
          description: entry.description,
          inputSchema: jsonSchema<Record<string, unknown>>(entry.inputSchema),
          execute: (args: Record<string, unknown>, { abortSignal }) =>
            answered(() => run(action, entry, args), abortSignal),
        });
        return [[toolName(entry.name), made as Tool]];
      }),
    );
    return { ...ofActions, slots_next: slotsNext as Tool };
  };

/** The user's own, where an action has one and the model did not say. */
const withTimeZone = (args: unknown, { inputSchema }: CatalogEntry, timeZone: string) => {
  const { properties } = inputSchema as { properties?: Record<string, unknown> };
  return properties?.timeZone === undefined ? args : { timeZone, ...(args as object) };
};

/** A model reads a part of what is long, and is told so. Whoever writes a text back must have read all of it. */
const shortened = (output: unknown): unknown => {
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
