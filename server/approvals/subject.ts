import { createHash } from 'node:crypto';
import type { Account } from '#contracts/accounts';
import type { ApprovalCard } from '#contracts/approvals';
import type { Approval } from '#contracts/define';
import type { MediaItem } from '#contracts/media';
import type { Post } from '#contracts/posts';
import type { Accounts } from '#server/accounts/accounts';
import type { Caller } from '#server/context';
import { notFound } from '#server/errors';
import type { MediaLibrary } from '#server/media/library';
import type { Renditions } from '#server/media/renditions';
import type { Lifecycle } from '#server/posts/lifecycle';
import type { LinkCards } from '#server/posts/link-cards';
import { mediaIn, type StoredLinkCard } from '#server/posts/outgoing';
import type { Reading } from '#server/posts/reading';

/** What a request is about: the post with its media, or the account. The card stores it as it was at the request. */
export interface Subject {
  readonly post?: Post;
  /** The post after the requested change. */
  readonly becomes?: Post;
  readonly media?: readonly MediaItem[];
  readonly fitted?: ApprovalCard['fitted'];
  readonly linkCards?: readonly StoredLinkCard[];
  readonly account?: Account;
}

type Kind = Approval['subject'];

/** Long posts are read in small batches, so that they do not block the event loop. */
const batchSize = 10;

export type Subjects = ReturnType<typeof createSubjects>;

export const createSubjects = ({
  reading,
  lifecycle,
  linkCards,
  library,
  renditions,
  accounts,
}: {
  reading: Reading;
  lifecycle: Lifecycle;
  linkCards: LinkCards;
  library: MediaLibrary;
  renditions: Renditions;
  accounts: Accounts;
}) => {
  const pinsOfPosts = async (caller: Caller, ids: readonly string[]) => {
    const pins = new Map<string, Buffer>();
    for (let first = 0; first < ids.length; first += batchSize) {
      const posts = await reading.many(caller, ids.slice(first, first + batchSize));
      for (const [id, pin] of await lifecycle.pins(caller, posts)) pins.set(id, pin);
    }
    return pins;
  };

  const pinsOfAccounts = async (caller: Caller, ids: readonly string[]) =>
    new Map(
      (await accounts.list(caller))
        .filter(({ id }) => ids.includes(id))
        .map(({ id, handle }) => [
          id,
          createHash('sha256')
            .update(JSON.stringify([id, handle]))
            .digest(),
        ]),
    );

  return {
    /** Locks the subject until the transaction ends, so the action runs on exactly what is shown and compared now. */
    find: async (caller: Caller, kind: Kind, id: string): Promise<Subject> => {
      if (kind === 'account') {
        const account = (await accounts.list(caller)).find((one) => one.id === id);
        if (account === undefined) throw notFound('account', id);
        return { account };
      }
      const post = await reading.lock(caller, id);
      const media = await library.hold(caller, mediaIn(post.versions));
      const fitted = [...(await lifecycle.fits(caller, post))].flatMap(([accountId, { finished }]) =>
        [...finished].map(([mediaId, row]) => {
          const { alt } = media.find((one) => one.id === mediaId) ?? {};
          return { accountId, mediaId, media: renditions.item(row, { ...(alt !== undefined && { alt }) }) };
        }),
      );
      return { post, media, fitted, linkCards: await linkCards.of(caller, id) };
    },

    /**
     * A pin is a hash of the content. Equal pins prove that a human approves what was requested. Deleted subjects have
     * none.
     */
    pins: (caller: Caller, kind: Kind, ids: readonly string[]): Promise<Map<string, Buffer>> =>
      (kind === 'account' ? pinsOfAccounts : pinsOfPosts)(caller, [...new Set(ids)]),
  };
};
