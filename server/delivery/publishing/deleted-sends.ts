import type { Caller } from '#server/base/context';
import type { Database } from '#server/base/store/database';
import { createDeletedSendStore } from './deleted-send-store.ts';

export type DeletedSends = ReturnType<typeof openDeletedSends>;

/**
 * Keeps the sends of a deleted post, because a restored post would otherwise be sent again to accounts that have it.
 */
export const openDeletedSends = (database: Database) => {
  const store = createDeletedSendStore(database);
  return {
    /** JSON of all rows, which stay locked. */
    copyRows: ({ workspaceId }: Caller, postId: string) => store.copyRows({ workspaceId, postId }),

    putBack: ({ workspaceId }: Caller, postId: string, rows: string) => store.putBack({ workspaceId, postId }, rows),
  };
};
