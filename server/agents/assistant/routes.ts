import type { AssistantRoutes } from '#contracts/assistant';
import type { RouteHandlers } from '#server/base/context';
import type { Chats } from './chats.ts';

export const assistantRoutes = ({
  chats,
  model,
}: {
  chats: Chats;
  model: string | undefined;
}): RouteHandlers<AssistantRoutes> => ({
  listChats: async ({ caller }) => ({ chats: await chats.list(caller), ...(model !== undefined && { model }) }),
  getChat: ({ caller, params }) => chats.get(caller, params.id),
  deleteChat: async ({ caller, params }) => {
    await chats.remove(caller, params.id);
    return { done: true };
  },
});
