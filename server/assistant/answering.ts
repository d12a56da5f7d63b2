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
import type { RunnableAction } from '#server/admission';
import type { ApprovalCards } from '#server/approvals/cards';
import { embeddedModel } from '#server/assistant/embedded/model';
import type { Clock } from '#server/clock';
import type { Config } from '#server/config/config';
import { assistantName, type Caller } from '#server/context';
import { createTurns } from '#server/jobs/yield-to-event-loop';
import type { Chats } from './chats.ts';
import { type Model, outsideModel } from './language-model.ts';
import { mergeDeltas } from './merge-deltas.ts';
import { modelTrouble, toolTrouble } from './model-trouble.ts';
import { promptFor } from './prompt.ts';
import { createTools, type ToolUser } from './tools.ts';

const mostSteps = 8;
/** What a model reads of the chat before, and writes in one answer. */
const historyBytes = 100_000;
const historyMessages = 40;
const writtenCharacters = 200_000;

export interface Ask {
  readonly caller: Caller;
  /** The same person, if they may still. */
  readonly callerNow: () => Promise<Caller>;
  readonly question: Question;
  readonly requestId: string;
  /** Stop was pressed, or the page is gone. */
  readonly signal: AbortSignal;
}

type AnswerPart = UIMessageChunk<{ chatId: string }, { note: ChatNote }>;
type Message = UIMessage<{ chatId: string }, { note: ChatNote }>;

// Warnings of the SDK would go to the console.
(globalThis as { AI_SDK_LOG_WARNINGS?: false }).AI_SDK_LOG_WARNINGS = false;

export type Answering = ReturnType<typeof createAnswering>;

/** One question, answered while it is written: a model, the actions that it uses, and what is kept of it. */
export const createAnswering = ({
  chats,
  cards,
  config,
  clock,
  log,
  nextFreeSlot,
  ...parts
}: {
  chats: Chats;
  cards: Pick<ApprovalCards, 'request' | 'about'>;
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
    outside ??= outsideModel(config.model).then(withLargerPieces);
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
      approvals: (as) => ({
        request: (action, input) => cards.request({ caller: as, client: assistantName, action, input, requestId }),
        about: (postId) => cards.about(as, postId),
      }),
      nextFreeSlot,
      report,
    });
    const messages = await toModelMessages(history);
    const id = chats.newMessageId();
    const keep = async ({ parts: said }: Message) => {
      const parts = said as unknown as ChatMessage['parts'];
      await chats.keep(caller, chatId, { id, role: 'assistant', parts }).catch(report);
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
      let trouble: string | undefined;
      const result = streamText({
        model,
        system: promptFor({ now: clock.now(), timeZone, sees }),
        messages,
        tools,
        stopWhen: stepCountIs(mostSteps),
        maxRetries: 1,
        abortSignal: end.signal,
        // It is told below. Left out, the SDK prints the whole request.
        onError: () => undefined,
      });
      const takeTurns = createTurns();
      const seen = { written: 0, steps: 0, finish: '', isEmpty: true };
      for await (const part of result.toUIMessageStream<Message>({
        sendReasoning: false,
        sendSources: false,
        messageMetadata: ({ part: { type } }) => (type === 'start' ? { chatId } : undefined),
        onError: (error) => {
          const ofTool = toolTrouble(error);
          if (ofTool !== undefined) return ofTool;
          const { text, reason } = modelTrouble(error, config.model);
          if (config.model === undefined) report(error);
          else log.warn({ requestId, model: config.model.model, reason }, 'the model of the assistant failed');
          return text;
        },
      })) {
        seen.written += charactersIn(part);
        if (seen.written > writtenCharacters) break;
        if (part.type === 'text-delta' || part.type.startsWith('tool-')) seen.isEmpty = false;
        if (part.type === 'finish-step') seen.steps++;
        if (part.type === 'error') trouble = part.errorText;
        if (part.type === 'finish') seen.finish = part.finishReason ?? '';
        else if (isTold(part)) write(part);
        await takeTurns();
      }
      // Also the model is left alone when the answer was cut.
      stop();
      clearTimeout(limit);
      const note = noteOf({ ...seen, trouble, isLate, isStopped: signal.aborted });
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
      // After every step: a process that is killed in the middle leaves what was done.
      onStepFinish: ({ responseMessage }) => keep(responseMessage),
      onFinish: ({ responseMessage }) => keep(responseMessage),
    }) as ReadableStream<AnswerPart>;
  };
};

const withLargerPieces = (model: Model) =>
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
 * Words and actions. Files, sources and thoughts of a model are not shown and not kept; errors are told as a note. Pieces
 * of an input are left out: the SDK would parse all that came so far with each of them, and the whole input follows.
 */
const isTold = ({ type }: AnswerPart) =>
  type !== 'tool-input-delta' && /^(start|start-step|finish-step|message-metadata|text-.+|tool-.+)$/.test(type);

const charactersIn = (part: AnswerPart) => {
  if (part.type === 'text-delta') return part.delta.length;
  return part.type === 'tool-input-delta' ? part.inputTextDelta.length : 0;
};

const noteOf = (seen: {
  written: number;
  steps: number;
  finish: string;
  isEmpty: boolean;
  trouble: string | undefined;
  isLate: boolean;
  isStopped: boolean;
}): ChatNote | undefined => {
  if (seen.isStopped) return { kind: 'Stopped', text: 'Stopped.' };
  if (seen.isLate) return { kind: 'Failed', text: 'The answer took too long and was stopped. Ask again, or for less.' };
  if (seen.written > writtenCharacters) return { kind: 'Cut', text: 'The answer became too long and was stopped.' };
  if (seen.trouble !== undefined) return { kind: 'Failed', text: seen.trouble };
  if (seen.finish === 'tool-calls' && seen.steps >= mostSteps) {
    return { kind: 'Cut', text: `Stopped after ${mostSteps} steps. Say how to go on, or ask for less at once.` };
  }
  if (seen.finish === 'content-filter') return { kind: 'Failed', text: "The assistant's model declined to answer." };
  if (seen.finish === 'length') return { kind: 'Cut', text: "The answer reached the model's limit and ends here." };
  if (seen.isEmpty) return { kind: 'Failed', text: "The assistant's model gave no answer. Ask in other words." };
  return undefined;
};

/** The last messages, from a question on. An action that never ended is left out, and so is an answer without words. */
const toModelMessages = async (history: readonly ChatMessage[]): Promise<ModelMessage[]> => {
  const last = history.slice(-historyMessages);
  const first = last.findIndex(({ role }) => role === 'user');
  const messages = await convertToModelMessages(last.slice(first) as unknown as Message[], {
    ignoreIncompleteToolCalls: true,
  });
  return messages.filter(({ content }) => content.length > 0);
};
