import { useChat } from '@ai-sdk/react';
import { useQueryClient } from '@tanstack/react-query';
import { DefaultChatTransport } from 'ai';
import { useEffect, useMemo, useRef } from 'react';
import { config } from 'zod';
import type { Question } from '#contracts/assistant';
import { fetchStream } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useZone } from '#web/base/session.ts';
import type { Message } from './chat-messages.ts';

// zod's JIT compiles functions from strings, which the content security policy blocks.
config({ jitless: true });

/** Limits re-rendering while an answer streams. */
const drawnEveryMs = 50;

/** `onBegun` gets the id of a new chat once the server has assigned it. */
export const useAssistant = ({
  chatId,
  messages,
  onBegun,
}: {
  chatId: string | undefined;
  messages: Message[];
  onBegun: (chatId: string) => void;
}) => {
  const client = useQueryClient();
  const timeZone = useZone();
  const about = useRef({ chatId, timeZone });
  about.current.timeZone = timeZone;
  const transport = useMemo(
    () =>
      new DefaultChatTransport<Message>({
        api: '/api/app/assistant/ask',
        fetch: fetchStream,
        // The server stores the chat, so only the new question is sent.
        prepareSendMessagesRequest: ({ messages: all, body }) => ({
          body: {
            ...(about.current.chatId && { chatId: about.current.chatId }),
            text: textOf(all.at(-1)),
            timeZone: about.current.timeZone,
            sees: body?.sees !== false,
          } satisfies Question,
        }),
      }),
    [],
  );
  const chat = useChat<Message>({
    messages,
    transport,
    experimental_throttle: drawnEveryMs,
    onFinish: ({ messages: all, isAbort }) => {
      if (isAbort) chat.setMessages(all.map((one, index) => (index === all.length - 1 ? withStoppedNote(one) : one)));
      void client.invalidateQueries({ queryKey: keys.chats });
    },
  });
  const newChatId = chat.messages.find(({ metadata }) => metadata?.chatId)?.metadata?.chatId;
  useEffect(() => {
    if (newChatId === undefined || about.current.chatId === newChatId) return;
    about.current.chatId = newChatId;
    onBegun(newChatId);
  }, [newChatId, onBegun]);
  const { stop } = chat;
  useEffect(() => () => void stop(), [stop]);
  const isWriting = chat.status === 'submitted' || chat.status === 'streaming';
  return { ...chat, isWriting, ask: (text: string, sees: boolean) => chat.sendMessage({ text }, { body: { sees } }) };
};

const textOf = (message: Message | undefined) =>
  message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';

/** Mirrors what the server stores for a stopped answer. */
const withStoppedNote = (message: Message): Message =>
  message.role === 'user'
    ? message
    : { ...message, parts: [...message.parts, { type: 'data-note', data: { kind: 'Stopped', text: 'Stopped.' } }] };
