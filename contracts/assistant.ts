import { z } from 'zod';
import { appRoute, byId, Done, Id, type RawRoute, type Route, rawRoute, TimeZone } from './define.ts';
import { everyone } from './scopes.ts';

export const assistantBounds = {
  /** UTF-16 units of one question. */
  messageCharacters: 20_000,
  /** Of a chat, questions and answers together. */
  messages: 200,
  /** Kept for one person in one workspace; the oldest goes when there is one more. */
  chats: 100,
} as const;

export const ChatMessage = z
  .object({
    id: z.string().describe('Message id, prefix `cmsg_`'),
    role: z.enum(['user', 'assistant']).describe('user asks, assistant answers'),
    parts: z
      .array(z.record(z.string(), z.unknown()))
      .describe('In order: `text`, `tool-<action>` with input and output, and `data-note` when the answer ended early'),
  })
  .meta({ id: 'ChatMessage', description: 'A question, or an answer with the actions that it used' });
export type ChatMessage = z.output<typeof ChatMessage>;

/** Why an answer ended before its time. */
export const noteKinds = ['Stopped', 'Failed', 'Cut'] as const;
export interface ChatNote {
  readonly kind: (typeof noteKinds)[number];
  readonly text: string;
}

const ChatLine = z.object({
  id: z.string().describe('Chat id, prefix `chat_`'),
  title: z.string().describe('The beginning of its first question'),
  updatedAt: z.string().describe('ISO-8601 instant of the last message'),
});
export type ChatLine = z.output<typeof ChatLine>;

/** The body of a question; the answer is a stream. */
export const Question = z.strictObject({
  chatId: Id.optional().describe('The chat to continue; leave it out to begin a new one'),
  text: z
    .string()
    .max(assistantBounds.messageCharacters)
    .refine((text) => text.trim() !== '', 'must not be empty')
    .describe('The question'),
  timeZone: TimeZone.describe('IANA name of the time zone that days and times refer to'),
  sees: z.boolean().default(true).describe('Whether the assistant may know which page is open'),
});
export type Question = z.input<typeof Question>;

export const assistantRoutes = {
  listChats: appRoute({
    method: 'GET',
    path: '/api/app/assistant/chats',
    tag: 'Assistant',
    summary: 'List your chats',
    description: 'Your own chats with the assistant in the open workspace, newest first, and the model that answers.',
    roles: everyone,
    answer: z.object({
      chats: z.array(ChatLine).describe(`Newest first, at most ${assistantBounds.chats}`),
      model: z.string().optional().describe('Name of the language model; absent when the embedded one answers'),
    }),
  }),

  getChat: appRoute({
    method: 'GET',
    path: '/api/app/assistant/chats/:id',
    tag: 'Assistant',
    summary: 'Read one chat',
    description: 'One of your own chats with its messages, oldest first: the newest of them up to 1 MiB.',
    roles: everyone,
    params: byId('Chat id'),
    answer: ChatLine.extend({ messages: z.array(ChatMessage).describe('The oldest first') }),
    more: ['NotFound'],
  }),

  deleteChat: appRoute({
    method: 'DELETE',
    path: '/api/app/assistant/chats/:id',
    tag: 'Assistant',
    summary: 'Delete one chat',
    description: 'Drafts and approval requests that it made stay.',
    roles: everyone,
    params: byId('Chat id'),
    answer: Done,
    more: ['NotFound'],
  }),
} as const satisfies Record<string, Route>;
export type AssistantRoutes = typeof assistantRoutes;

export const assistantPaths = {
  askAssistant: rawRoute({
    methods: ['POST'],
    path: '/api/app/assistant/ask',
    access: 'Session',
    roles: everyone,
    handler: 'Own',
    description: 'Asks the assistant; the answer comes as server-sent events while it is written.',
  }),
} as const satisfies Record<string, RawRoute>;
