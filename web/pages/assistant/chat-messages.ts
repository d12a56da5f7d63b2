import type { UIMessage } from 'ai';
import type { ChatNote } from '#contracts/assistant';

export type Message = UIMessage<{ chatId: string }, { note: ChatNote }>;
type Part = Message['parts'][number];

/** One tool call of an answer. */
export interface UsedAction {
  id: string;
  /** `analytics.summary` */
  name: string;
  state: 'running' | 'done' | 'failed' | 'waiting';
  input: Record<string, unknown>;
  output: Record<string, unknown> | undefined;
  /** Why it failed. */
  fault: string | undefined;
}

export const noteIn = ({ parts }: Message): ChatNote | undefined => {
  const part = parts.find(({ type }) => type === 'data-note');
  return part?.type === 'data-note' ? part.data : undefined;
};

/** Undefined for parts that are not tool calls. */
export const usedAction = (part: Part): UsedAction | undefined => {
  if (part.type !== 'dynamic-tool' && !part.type.startsWith('tool-')) return undefined;
  const { toolCallId, toolName, state, input, output, errorText } = part as {
    toolCallId: string;
    toolName?: string;
    state: string;
    input?: unknown;
    output?: unknown;
    errorText?: string;
  };
  const result = (output ?? undefined) as { status?: string; error?: { message?: string } } | undefined;
  const fault = errorText ?? result?.error?.message;
  const isDone = state === 'output-available' || state === 'output-error';
  const isWaiting = result?.status === 'pending_approval';
  return {
    id: toolCallId,
    name: (toolName ?? part.type.slice('tool-'.length)).replace('_', '.'),
    state: !isDone ? 'running' : fault !== undefined ? 'failed' : isWaiting ? 'waiting' : 'done',
    input: (input ?? {}) as Record<string, unknown>,
    output: result as Record<string, unknown> | undefined,
    fault,
  };
};

/** Ids of the approval cards that an answer created. */
export const cardsIn = ({ parts }: Message): string[] => {
  const ids = parts.flatMap((part) => {
    const used = usedAction(part);
    return used?.state === 'waiting' && typeof used.output?.cardId === 'string' ? [used.output.cardId] : [];
  });
  return [...new Set(ids)];
};
