import type { Account } from '#contracts/accounts';
import type { ApprovalCard } from '#contracts/approvals';
import type { Approval } from '#contracts/define';
import type { MediaItem } from '#contracts/media';
import type { Post } from '#contracts/posts';
import type { Caller } from '#server/base/context';
import { notFound } from '#server/base/errors';
import { sha256 } from '#server/base/sha256';
import type { Accounts } from '#server/connecting/accounts/accounts';
import type { FittedFiles } from '#server/media/fitted-files';
import type { MediaLibrary } from '#server/media/library';
import type { FittablePost } from '#server/writing/posts/fitting';
import type { LinkCards } from '#server/writing/posts/link-cards';
import { mediaIn, type StoredLinkCard } from '#server/writing/posts/outgoing';
import type { Pin, Readiness } from '#server/writing/posts/readiness';
import type { Reading } from '#server/writing/posts/reading';

/** What a request is about: the post with its media, or the account. The card stores it as it was at the request. */
export interface Subject {
  readonly post?: Post;
  /** The post after the requested change. */
  readonly becomes?: Post;
  /** The post as the person who approved it changed it. */
  readonly edited?: Post;
  readonly editedAlts?: ApprovalCard['editedAlts'];
  readonly media?: readonly MediaItem[];
  readonly fitted?: ApprovalCard['fitted'];
  /** Not all files were fitted at the request. */
  readonly isPreparing?: true;
  readonly linkCards?: readonly StoredLinkCard[];
  readonly account?: Account;
}

export type { Pin };

type Kind = Approval['subject'];

/** Long posts are read in small batches, so that they do not block the event loop. */
const batchSize = 10;

export type Subjects = ReturnType<typeof createSubjects>;

export const createSubjects = ({
  reading,
  readiness,
  linkCards,
  library,
  fittedFiles,
  accounts,
}: {
  reading: Reading;
  readiness: Readiness;
  linkCards: LinkCards;
  library: MediaLibrary;
  fittedFiles: FittedFiles;
  accounts: Accounts;
}) => {
  const pinsOfPosts = async (caller: Caller, ids: readonly string[]) => {
    const pins = new Map<string, Pin>();
    for (let first = 0; first < ids.length; first += batchSize) {
      const posts = await reading.many(caller, ids.slice(first, first + batchSize));
      for (const [id, pin] of await readiness.pins(caller, posts)) pins.set(id, pin);
    }
    return pins;
  };

  const pinsOfMedia = async (caller: Caller, ids: readonly string[]) =>
    new Map(
      [...(await library.find(caller, ids)).values()].map(({ id, alt = '' }): [string, Pin] => {
        const pin = sha256(JSON.stringify([id, alt]));
        return [id, { ready: pin, preparing: pin }];
      }),
    );

  const pinsOfAccounts = async (caller: Caller, ids: readonly string[]) =>
    new Map(
      (await accounts.list(caller))
        .filter(({ id }) => ids.includes(id))
        .map(({ id, handle }): [string, Pin] => {
          const pin = sha256(JSON.stringify([id, handle]));
          return [id, { ready: pin, preparing: pin }];
        }),
    );

  const pinsOf = { post: pinsOfPosts, account: pinsOfAccounts, media: pinsOfMedia };

  /** The fitted files that accounts get instead of the originals, as far as they exist. */
  const fittedOf = async (caller: Caller, post: FittablePost | undefined, media: readonly MediaItem[]) =>
    [...(post ? await readiness.fits(caller, post) : [])].flatMap(([accountId, { finished }]) =>
      [...finished].map(([mediaId, row]) => {
        const { alt } = media.find((one) => one.id === mediaId) ?? {};
        return { accountId, mediaId, media: fittedFiles.item(row, { ...(alt !== undefined && { alt }) }) };
      }),
    );

  return {
    /**
     * Locks the subject until the transaction ends, so the action runs on exactly the content that was compared. Files
     * in `filesToChange` are locked for update: two transactions that share the lock of a file and then both change its
     * alt text would deadlock.
     */
    find: async (caller: Caller, kind: Kind, id: string, filesToChange: readonly string[] = []): Promise<Subject> => {
      if (kind === 'account') {
        const account = (await accounts.list(caller)).find((one) => one.id === id);
        if (account === undefined) throw notFound('account', id);
        return { account };
      }
      if (kind === 'media') {
        const media = await library.hold(caller, [id], 'UPDATE');
        if (media.length === 0) throw notFound('media item', id);
        return { media };
      }
      const post = await reading.lock(caller, id);
      const files = mediaIn(post.versions);
      if (filesToChange.length > 0) await library.hold(caller, [...files, ...filesToChange], 'UPDATE');
      const media = await library.hold(caller, files);
      const fitted = await fittedOf(caller, post, media);
      return { post, media, fitted, linkCards: await linkCards.of(caller, id) };
    },

    fitted: fittedOf,

    /**
     * A pin is a hash of the content. Equal pins prove that a human approves what was requested. Deleted subjects have
     * none.
     */
    pins: (caller: Caller, kind: Kind, ids: readonly string[]): Promise<Map<string, Pin>> =>
      pinsOf[kind](caller, [...new Set(ids)]),
  };
};
