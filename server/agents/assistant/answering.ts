import {
  convertToModelMessages,
  createUIMessageStream,
  type ModelMessage,
  stepCountIs,
  streamText,
  type UIMessage,
  type UIMessageChunk,
  wrapLanguageModel,
} from 'ai';
import type { Logger } from 'pino';
import type { ChatMessage, ChatNote, Question } from '#contracts/assistant';
import type { CatalogEntry } from '#contracts/catalog';
import type { RunnableAction } from '#server/agents/admission';
import type { RunForAgent } from '#server/agents/approvals/run-for-agent';
import { embeddedModel } from '#server/agents/assistant/embedded/model';
import type { Clock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Caller } from '#server/base/context';
import { createYieldToEventLoop } from '#server/base/jobs/yield-to-event-loop';
import type { Chats } from './chats.ts';
import { type Model, outsideModel } from './language-model.ts';
import { mergeDeltas } from './merge-deltas.ts';
import { describeModelError, describeToolError } from './model-error.ts';
import { promptFor } from './prompt.ts';
import { createTools, type ToolUser } from './tools.ts';

const maxSteps = 8;
/** Bounds of the history that a model reads, and of one answer. */
const historyBytes = 100_000;
const historyMessages = 40;
const maxAnswerCharacters = 200_000;

export interface Ask {
  readonly caller: Caller;
  /** The same person, looked up again; throws if they lost access. */
  readonly callerNow: () => Promise<Caller>;
  readonly question: Question;
  readonly requestId: string;
  /** The person pressed Stop or closed the page. */
  readonly signal: AbortSignal;
}

type AnswerPart = UIMessageChunk<{ chatId: string }, { note: ChatNote }>;
type Message = UIMessage<{ chatId: string }, { note: ChatNote }>;

// Otherwise the SDK prints warnings to the console.
(globalThis as { AI_SDK_LOG_WARNINGS?: false }).AI_SDK_LOG_WARNINGS = false;

export type Answering = ReturnType<typeof createAnswering>;

/** Streams the answer to one question: runs the model and its actions, and saves the messages. */
export const createAnswering = ({
  chats,
  config,
  clock,
  log,
  nextFreeSlot,
  ...parts
}: {
  chats: Chats;
  runForAgent: RunForAgent;
  catalog: readonly CatalogEntry[];
  actions: ReadonlyMap<string, RunnableAction>;
  config: Config['assistant'];
  clock: Clock;
  log: Logger;
  nextFreeSlot: ToolUser['nextFreeSlot'];
}) => {
  const toolsFor = createTools(parts);
  let outside: Promise<Model> | undefined;
  const modelFor = (question: Question) => {
    if (config.model === undefined) return embeddedModel({ now: clock.now(), timeZone: question.timeZone });
    outside ??= outsideModel(config.model).then(withMergedDeltas);
    return outside;
  };

  return async ({ caller, callerNow, question, requestId, signal }: Ask): Promise<ReadableStream<AnswerPart>> => {
    const { timeZone, sees = true } = question;
    const { chatId, history } = await chats.ask(caller, question, historyBytes);
    const model = await modelFor(question);
    const report = (error: unknown) => log.error({ requestId, err: error }, 'the assistant failed');
    const tools = toolsFor({
      caller: callerNow,
      timeZone,
      sees,
      requestId,
      nextFreeSlot,
      report,
    });
    const messages = await toModelMessages(history);
    const id = chats.newMessageId();
    const save = async ({ parts }: Message) => {
      const message = { id, role: 'assistant' as const, parts: parts as unknown as ChatMessage['parts'] };
      await chats.save(caller, chatId, message).catch(report);
    };

    const answer = async (write: (part: AnswerPart) => void) => {
      const end = new AbortController();
      const stop = () => end.abort();
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      let isLate = false;
      const limit = setTimeout(() => {
        isLate = true;
        stop();
      }, config.answerMs);
      let error: string | undefined;
      const result = streamText({
        model,
        system: promptFor({ now: clock.now(), timeZone, sees }),
        messages,
        tools,
        stopWhen: stepCountIs(maxSteps),
        maxRetries: 1,
        abortSignal: end.signal,
        // The loop below handles errors. Without this handler the SDK prints the whole request.
        onError: () => undefined,
      });
      const yieldToEventLoop = createYieldToEventLoop();
      const progress = { characters: 0, steps: 0, finish: '', isEmpty: true };
      for await (const part of result.toUIMessageStream<Message>({
        sendReasoning: false,
        sendSources: false,
        messageMetadata: ({ part: { type } }) => (type === 'start' ? { chatId } : undefined),
        onError: (cause) => {
          const toolError = describeToolError(cause);
          if (toolError !== undefined) return toolError;
          const { text, reason } = describeModelError(cause, config.model);
          if (config.model === undefined) report(cause);
          else log.warn({ requestId, model: config.model.model, reason }, 'the model of the assistant failed');
          return text;
        },
      })) {
        progress.characters += charactersIn(part);
        if (progress.characters > maxAnswerCharacters) break;
        if (part.type === 'text-delta' || part.type.startsWith('tool-')) progress.isEmpty = false;
        if (part.type === 'finish-step') progress.steps++;
        if (part.type === 'error') error = part.errorText;
        if (part.type === 'finish') progress.finish = part.finishReason ?? '';
        else if (isShown(part)) write(part);
        await yieldToEventLoop();
      }
      // After a `break` above, the model would otherwise keep generating.
      stop();
      clearTimeout(limit);
      const note = noteOf({ ...progress, error, isLate, isStopped: signal.aborted });
      if (note) write({ type: 'data-note', data: note });
      write({ type: 'finish' });
    };

    return createUIMessageStream<Message>({
      generateId: () => id,
      execute: ({ writer }) => answer((part) => writer.write(part)),
      onError: (error) => {
        report(error);
        return 'The assistant failed. Try again.';
      },
      // After every step, so that a killed process loses only the current one.
      onStepFinish: ({ responseMessage }) => save(responseMessage),
      onFinish: ({ responseMessage }) => save(responseMessage),
    }) as ReadableStream<AnswerPart>;
  };
};

const withMergedDeltas = (model: Model) =>
  wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v3',
      wrapStream: async ({ doStream }) => {
        const { stream, ...result } = await doStream();
        return { ...result, stream: stream.pipeThrough(mergeDeltas()) };
      },
    },
  });

/**
 * Text and actions are shown. Files, sources and reasoning of a model are neither shown nor saved; errors become a
 * note. Deltas of an input are left out, because the SDK parses the whole input again for each, and the complete one
 * follows.
 */
const isShown = ({ type }: AnswerPart) =>
  type !== 'tool-input-delta' && /^(start|start-step|finish-step|message-metadata|text-.+|tool-.+)$/.test(type);

const charactersIn = (part: AnswerPart) => {
  if (part.type === 'text-delta') return part.delta.length;
  return part.type === 'tool-input-delta' ? part.inputTextDelta.length : 0;
};

const noteOf = (answer: {
  characters: number;
  steps: number;
  finish: string;
  isEmpty: boolean;
  error: string | undefined;
  isLate: boolean;
  isStopped: boolean;
}): ChatNote | undefined => {
  if (answer.isStopped) return { kind: 'Stopped', text: 'Stopped.' };
  if (answer.isLate)
    return { kind: 'Failed', text: 'The answer took too long and was stopped. Ask again, or for less.' };
  if (answer.characters > maxAnswerCharacters)
    return { kind: 'Cut', text: 'The answer became too long and was stopped.' };
  if (answer.error !== undefined) return { kind: 'Failed', text: answer.error };
  if (answer.finish === 'tool-calls' && answer.steps >= maxSteps) {
    return { kind: 'Cut', text: `Stopped after ${maxSteps} steps. Say how to go on, or ask for less at once.` };
  }
  if (answer.finish === 'content-filter') return { kind: 'Failed', text: "The assistant's model declined to answer." };
  if (answer.finish === 'length') return { kind: 'Cut', text: "The answer reached the model's limit and ends here." };
  if (answer.isEmpty) return { kind: 'Failed', text: "The assistant's model gave no answer. Ask in other words." };
  return undefined;
};

/** The last messages, starting with a question. Leaves out actions without a result, and answers without text. */
const toModelMessages = async (history: readonly ChatMessage[]): Promise<ModelMessage[]> => {
  const last = history.slice(-historyMessages);
  const first = last.findIndex(({ role }) => role === 'user');
  const messages = await convertToModelMessages(last.slice(first) as unknown as Message[], {
    ignoreIncompleteToolCalls: true,
  });
  return messages.filter(({ content }) => content.length > 0);
};
