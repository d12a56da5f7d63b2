import type { Rights } from '#server/access/auth/rights';
import type { Caller } from '#server/base/context';
import { notFound, Refusal } from '#server/base/errors';
import type { MediaFiles } from './files.ts';
import { thumbnailKey } from './item.ts';
import type { MediaStore } from './media-store.ts';

/** Whether a post of the workspace uses it. */
export type IsUsed = (workspaceId: string, id: string) => Promise<boolean>;

export type Removal = ReturnType<typeof createRemoval>;

/** The row is deleted first: a file without a row is swept later, a row without a file would break a post. */
export const createRemoval =
  ({ store, rights, files, isUsed }: { store: MediaStore; rights: Rights; files: MediaFiles; isUsed: IsUsed }) =>
  async (caller: Caller, id: string) => {
    await store.transaction(async () => {
      const { workspaceId } = await rights.mustHold(caller);
      const [row] = await store.lock(workspaceId, [id], 'UPDATE');
      if (row === undefined) throw notFound('media item', id);
      if (await isUsed(workspaceId, id)) {
        throw new Refusal('Conflict', `A post uses ${id}. Remove it from the post, or delete the post, first.`);
      }
      await store.remove(workspaceId, id);
    });
    await Promise.all([files.remove(id), files.remove(thumbnailKey(id))]);
  };
