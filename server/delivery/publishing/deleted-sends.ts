import type { Caller } from '#server/base/context';
import type { Database } from '#server/base/store/database';
import { createPublishingStore } from './sending-store.ts';

export type DeletedSends = ReturnType<typeof openDeletedSends>;

/**
 * Keeps the sends of a deleted post, because a restored post would otherwise be sent again to accounts that have it.
 */
export const openDeletedSends = (database: Database) => {
  const store = createPublishingStore(database);
  return {
    /** JSON of all rows, which stay locked. */
    copyRows: ({ workspaceId }: Caller, postId: string) => store.copyRows({ workspaceId, postId }),

    putBack: ({ workspaceId }: Caller, postId: string, rows: string) => store.putBack({ workspaceId, postId }, rows),
  };
};
