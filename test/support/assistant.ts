import type { Service } from './service.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on what came, whatever it is
type Json = any;

export interface AssistantAnswer {
  status: number;
  body: Json;
  chatId: string;
  text: string;
  /** The actions that were used, by the names that models know. */
  used: { name: string; input: Json; output: Json; fault: string | undefined }[];
  note: { kind: string; text: string } | undefined;
}

/** Asks the assistant as a browser does, and reads its answer to the end. */
export const asker =
  (browser: ReturnType<Service['browser']>, timeZone = 'Europe/Paris') =>
  async (text: string, more: { chatId?: string; sees?: boolean } = {}): Promise<AssistantAnswer> => {
    const { status, body } = await browser.post('/api/app/assistant/ask', { text, timeZone, ...more });
    return { status, body, ...parseAnswer(status === 200 ? String(body) : '') };
  };

export const parseAnswer = (stream: string): Omit<AssistantAnswer, 'status' | 'body'> => {
  const parts: Json[] = stream
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)));
  const outcome = (id: string) =>
    parts.find((one) => one.toolCallId === id && /^tool-output|^tool-input-error/.test(one.type));
  const inputs = parts.filter(({ type }) => type === 'tool-input-available' || type === 'tool-input-error');
  return {
    chatId: parts.find(({ type }) => type === 'start')?.messageMetadata.chatId ?? '',
    text: parts.map(({ type, delta }) => (type === 'text-delta' ? delta : '')).join(''),
    used: inputs.map(({ toolName, toolCallId, input }) => {
      const { output, errorText } = outcome(toolCallId) ?? {};
      return { name: toolName, input, output, fault: errorText ?? output?.error?.message };
    }),
    note: parts.find(({ type }) => type === 'data-note')?.data,
  };
};
