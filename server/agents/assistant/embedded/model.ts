import { randomUUID } from 'node:crypto';
import type { Model } from '#server/agents/assistant/language-model';
import { answer } from './intents.ts';
import type { UserRequest } from './talk.ts';

type Options = Parameters<Model['doStream']>[0];
type Prompt = Options['prompt'];
type Part = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

const unknown = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
const usage = { inputTokens: unknown, outputTokens: { total: undefined, text: undefined, reasoning: undefined } };

/**
 * A model without key or network that understands a fixed set of requests. It has the interface of a language model, so
 * that tools, cards and pages work the same with and without one.
 */
export const embeddedModel = ({ now, timeZone }: { now: Date; timeZone: string }): Model => {
  const next = ({ prompt, tools = [] }: Options): Part[] => {
    const request: UserRequest = {
      text: lastQuestion(prompt),
      now,
      timeZone,
      lastPostId: lastPostId(prompt),
      sees: tools.some(({ name }) => name === 'ui_getContext'),
    };
    const step = replay(request, outputsSince(prompt));
    return step.done
      ? [...toTextParts(step.value), finish('stop')]
      : [
          {
            type: 'tool-call',
            toolCallId: `call_${randomUUID()}`,
            toolName: step.value.action.replace('.', '_'),
            input: JSON.stringify(step.value.input),
          },
          finish('tool-calls'),
        ];
  };
  return {
    specificationVersion: 'v3',
    provider: 'posthorn',
    modelId: 'embedded',
    supportedUrls: {},
    doGenerate: async () => {
      throw new Error('the embedded model only streams');
    },
    doStream: async (options) => ({
      stream: new ReadableStream<Part>({
        start: (controller) => {
          controller.enqueue({ type: 'stream-start', warnings: [] });
          for (const part of next(options)) controller.enqueue(part);
          controller.close();
        },
      }),
    }),
  };
};

/** Models keep no state between steps, so the conversation is replayed with the results of the actions so far. */
const replay = (request: UserRequest, outputs: readonly unknown[]) => {
  const talk = answer(request);
  let step = talk.next();
  for (const output of outputs) {
    if (step.done) break;
    step = talk.next(output);
  }
  return step;
};

const finish = (unified: 'stop' | 'tool-calls'): Part => ({
  type: 'finish',
  finishReason: { unified, raw: undefined },
  usage,
});

/** Word by word, like a language model. */
const toTextParts = (text: string): Part[] => {
  const id = 'answer';
  const deltas = (text.match(/\S*\s*/g) ?? []).filter(Boolean);
  return [
    { type: 'text-start', id },
    ...deltas.map((delta): Part => ({ type: 'text-delta', id, delta })),
    { type: 'text-end', id },
  ];
};

const lastQuestion = (prompt: Prompt) => {
  const message = prompt.findLast(({ role }) => role === 'user');
  return message?.role === 'user'
    ? message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
    : '';
};

/** The results of the actions since the last question, in order. */
const outputsSince = (prompt: Prompt): unknown[] => {
  const question = prompt.findLastIndex(({ role }) => role === 'user');
  return prompt.slice(question).flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) => {
          if (part.type !== 'tool-result') return [];
          const { output } = part;
          if (output.type === 'json') return [output.value];
          // The SDK rejected the call before it reached the action.
          return [{ error: { code: 'Internal', message: 'value' in output ? String(output.value) : '' } }];
        })
      : [],
  );
};

const isPostId = (value: unknown): value is string => typeof value === 'string' && /^post_\w+$/.test(value);

/** The post of the last action before this question. */
const lastPostId = (prompt: Prompt): string | undefined => {
  const question = prompt.findLastIndex(({ role }) => role === 'user');
  for (const message of prompt.slice(0, question).reverse()) {
    if (message.role !== 'tool') continue;
    for (const part of message.content.toReversed()) {
      if (part.type !== 'tool-result' || part.output.type !== 'json') continue;
      const { id } = (part.output.value ?? {}) as { id?: unknown };
      if (isPostId(id)) return id;
    }
  }
  return undefined;
};
