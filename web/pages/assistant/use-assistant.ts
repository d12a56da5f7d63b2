import { useChat } from '@ai-sdk/react';
import { useQueryClient } from '@tanstack/react-query';
import { DefaultChatTransport } from 'ai';
import { useEffect, useMemo, useRef } from 'react';
import { config } from 'zod';
import type { Question } from '#contracts/assistant';
import { fetchStream } from '#web/api.ts';
import { keys } from '#web/queries.ts';
import { useZone } from '#web/session.ts';
import type { Message } from './chat-messages.ts';

// It would try to make a function of text, which the content security policy refuses.
config({ jitless: true });

/** How often a page that is being written is drawn anew. */
const drawnEveryMs = 50;

/** One chat. `onBegun` is told its id when the first question has one. */
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
        // The server has the chat; it is sent the question alone.
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
      if (isAbort) chat.setMessages(all.map((one, index) => (index === all.length - 1 ? stopped(one) : one)));
      void client.invalidateQueries({ queryKey: keys.chats });
    },
  });
  const begun = chat.messages.find(({ metadata }) => metadata?.chatId)?.metadata?.chatId;
  useEffect(() => {
    if (begun === undefined || about.current.chatId === begun) return;
    about.current.chatId = begun;
    onBegun(begun);
  }, [begun, onBegun]);
  const { stop } = chat;
  // Whoever leaves the page needs no answer.
  useEffect(() => () => void stop(), [stop]);
  const isWriting = chat.status === 'submitted' || chat.status === 'streaming';
  return { ...chat, isWriting, ask: (text: string, sees: boolean) => chat.sendMessage({ text }, { body: { sees } }) };
};

const textOf = (message: Message | undefined) =>
  message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';

/** As the server keeps it. */
const stopped = (message: Message): Message =>
  message.role === 'user'
    ? message
    : { ...message, parts: [...message.parts, { type: 'data-note', data: { kind: 'Stopped', text: 'Stopped.' } }] };
