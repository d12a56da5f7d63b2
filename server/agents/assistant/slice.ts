import type { Logger } from 'pino';
import type { CatalogEntry } from '#contracts/catalog';
import type { RunnableAction } from '#server/agents/admission';
import type { RunForAgent } from '#server/agents/approvals/run-for-agent';
import type { Clock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Caller } from '#server/base/context';
import type { Live } from '#server/base/live/live';
import type { Database } from '#server/base/store/database';
import type { SlotQueue } from '#server/planning/slots/queue';
import type { Reading } from '#server/writing/posts/reading';
import type { Answering, Ask } from './answering.ts';
import { createChats } from './chats.ts';
import { assistantRoutes } from './routes.ts';
import { createChatStore, createTurnStore } from './store.ts';
import { createTurns } from './turns.ts';

export type Assistant = ReturnType<typeof openAssistant>['assistant'];

export const openAssistant = ({
  database,
  config,
  reading,
  slots,
  live,
  report,
  ...parts
}: {
  database: Database;
  catalog: readonly CatalogEntry[];
  actions: ReadonlyMap<string, RunnableAction>;
  runForAgent: RunForAgent;
  reading: Reading;
  slots: Pick<SlotQueue, 'nextFreeSlot'>;
  live: Pick<Live, 'onAccessChanged'>;
  config: Config;
  clock: Clock;
  report: (error: unknown) => void;
  log: Logger;
}) => {
  const chatStore = createChatStore(database);
  const chats = createChats({ store: chatStore, clock: parts.clock });
  const turns = createTurns({ store: createTurnStore(database), live, report });
  let answering: Promise<Answering> | undefined;
  /** Loading the SDK takes a third of a second, so it is loaded by the first question and not by the start. */
  const load = async () => {
    const { createAnswering } = await import('./answering.ts');
    const nextFreeSlot = async (caller: Caller, postId: string) => {
      const { accountIds } = await reading.get(caller, postId);
      return slots.nextFreeSlot(caller.workspaceId, accountIds);
    };
    return createAnswering({ ...parts, nextFreeSlot, chats, config: config.assistant });
  };
  const { model } = config.assistant;
  return {
    forgetPerson: chatStore.forgetPerson,
    assistant: {
      /** One answer at a time for each person. */
      ask: (ask: Ask) =>
        turns.take(ask, async (signal) => {
          answering ??= load().catch((error: unknown) => {
            // Let the next question load it again.
            answering = undefined;
            throw error;
          });
          return (await answering)({ ...ask, signal });
        }),
      stop: turns.stop,
    },
    chores: { 'remove old chats': { every: '1 day', run: chats.purge } },
    routes: assistantRoutes({ chats, model: model?.model }),
  };
};
