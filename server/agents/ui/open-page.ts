import type { UiContext } from '#contracts/ui';
import type { Caller } from '#server/base/context';
import type { UiStore } from './store.ts';

export type OpenPage = ReturnType<typeof createOpenPage>;

/** What the user is looking at, as the web app reports it. */
export const createOpenPage = ({ store }: { store: UiStore }) => ({
  get: async ({ userId, workspaceId }: Caller) => toContext(await store.read(userId, workspaceId)),
  set: async ({ userId, workspaceId }: Caller, page: Parameters<UiStore['write']>[2]) =>
    toContext(await store.write(userId, workspaceId, page)),
});

const toContext = (row: Awaited<ReturnType<UiStore['read']>>): UiContext =>
  row === undefined
    ? {}
    : {
        page: row.page,
        ...(row.postId !== null && { postId: row.postId }),
        ...(row.accountId !== null && { accountId: row.accountId }),
        updatedAt: row.updatedAt,
      };
