import type { Advice, NewAdvice } from '#contracts/review';
import { bounds } from '#server/base/bounds';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { notFound, Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import type { Reading } from '#server/writing/posts/reading';
import type { AdviceStore } from './advice-store.ts';
import type { ShareRow } from './share-store.ts';
import type { Shares } from './shares.ts';

/** Notifies the person who made the link. Called inside the transaction of the advice. */
export type NotifyMaker = (share: ShareRow, name: string) => Promise<void>;

export type AdviceOnPosts = ReturnType<typeof createAdvice>;

/**
 * What people without an account say about a post on its review link. It is advice for members: it decides nothing, and
 * no agent reads it, because anybody with the link could give the agent instructions through it.
 */
export const createAdvice = ({
  store,
  shares,
  reading,
  mayWrite,
  notifyMaker,
  clock,
}: {
  store: AdviceStore;
  shares: Pick<Shares, 'open' | 'readerOf'>;
  reading: Reading;
  /** Limits advice per IP address, over all links. */
  mayWrite: (address: string) => void;
  notifyMaker: NotifyMaker;
  /** The wall clock, which also decides when links expire. */
  clock: Clock;
}) => ({
  add: async ({ secret, updatedAt, ...advice }: NewAdvice, address: string) => {
    const share = await shares.open(secret);
    mustInvite(share);
    mayWrite(address);
    const { workspaceId, postId } = share;
    await store.transaction(async () => {
      // Locks the post, so that concurrent advice cannot exceed the limit.
      await reading.lock(shares.readerOf(share), postId);
      // Read again: the link may have been revoked while this waited.
      mustInvite(await shares.open(secret));
      if ((await store.countOfShare(workspaceId, share.id)) >= bounds.advicePerShare) {
        throw new Refusal(
          'Conflict',
          `${bounds.advicePerShare} people wrote here already. Ask the person who sent the address for a new one.`,
        );
      }
      const now = clock.now();
      const id = newId('advice', now);
      await store.insert({ ...advice, id, workspaceId, postId, shareId: share.id, about: updatedAt, createdAt: now });
      await notifyMaker(share, advice.name);
    });
  },

  list: async (caller: Caller, postId: string): Promise<Advice[]> => {
    await reading.get(caller, postId);
    return store.list(caller.workspaceId, postId);
  },

  remove: async ({ workspaceId }: Caller, id: string) => {
    if (!(await store.remove(workspaceId, id))) throw notFound('advice', id);
  },
});

const mustInvite = ({ invitesAdvice }: ShareRow) => {
  if (!invitesAdvice)
    throw new Refusal('Forbidden', 'This address is for reading only. Answer the person who sent it.');
};
