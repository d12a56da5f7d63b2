import { assistantBounds, type ChatLine, type ChatMessage } from '#contracts/assistant';
import { bounds } from '#server/base/bounds';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { notFound, Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import { shorten } from '#server/base/shorten';
import type { ChatStore } from './store.ts';

const titleCharacters = 80;
/** Counted from the last question. */
const retentionMs = 365 * 24 * 3_600_000;

export type Chats = ReturnType<typeof createChats>;

/** Chats are private: no role lets anybody else read them. */
export const createChats = ({ store, clock }: { store: ChatStore; clock: Clock }) => {
  const mustExist = async ({ userId, workspaceId }: Caller, id: string) => {
    const chat = await store.get(id, userId, workspaceId);
    if (chat === undefined) throw notFound('chat', id);
    return chat;
  };

  const messagesOf = async ({ workspaceId }: Caller, chatId: string, bytes: number): Promise<ChatMessage[]> =>
    (await store.messages(workspaceId, chatId, bytes)).map(({ id, role, parts }) => ({
      id,
      role,
      parts: JSON.parse(parts),
    }));

  const save = ({ workspaceId }: Caller, chatId: string, { id, role, parts }: ChatMessage) =>
    store.save(workspaceId, chatId, id, role, JSON.stringify(parts), clock.now());

  const create = async ({ userId, workspaceId }: Caller, text: string) => {
    const now = clock.now();
    const id = newId('chat', now);
    await store.insert(id, workspaceId, userId, titleOf(text), now);
    await store.removeOldest(userId, workspaceId, assistantBounds.chats);
    return id;
  };

  const resume = async (caller: Caller, id: string) => {
    await mustExist(caller, id);
    if ((await store.countMessages(caller.workspaceId, id)) >= assistantBounds.messages) {
      throw new Refusal('Conflict', 'This chat has grown too long. Start a new one; this one stays readable.');
    }
    await store.touch(caller.workspaceId, id, clock.now());
    return id;
  };

  return {
    list: async ({ userId, workspaceId }: Caller): Promise<ChatLine[]> =>
      (await store.list(userId, workspaceId, assistantBounds.chats)).map(toChatLine),

    get: async (caller: Caller, id: string) => ({
      ...toChatLine(await mustExist(caller, id)),
      messages: await messagesOf(caller, id, bounds.pageBytes),
    }),

    remove: async ({ userId, workspaceId }: Caller, id: string) => {
      if ((await store.remove(id, userId, workspaceId)) === 0) throw notFound('chat', id);
    },

    purge: () => store.purge(new Date(clock.now().getTime() - retentionMs)),

    /** Saves a question before it is answered. Returns the newest messages of the chat, up to `historyBytes`. */
    ask: (caller: Caller, { chatId, text }: { chatId?: string | undefined; text: string }, historyBytes: number) =>
      store.transaction(async () => {
        const id = chatId === undefined ? await create(caller, text) : await resume(caller, chatId);
        const question = newId('chatMessage', clock.now());
        await save(caller, id, { id: question, role: 'user', parts: [{ type: 'text', text }] });
        return { chatId: id, history: await messagesOf(caller, id, historyBytes) };
      }),

    newMessageId: () => newId('chatMessage', clock.now()),

    /** Saves an answer, complete or not. Saving the same id again replaces it. */
    save,
  };
};

const toChatLine = ({ id, title, updatedAt }: { id: string; title: string; updatedAt: string }): ChatLine => ({
  id,
  title,
  updatedAt,
});

const titleOf = (text: string) => shorten(text.trim().replaceAll(/\s+/g, ' '), titleCharacters);
