import { createHash } from 'node:crypto';
import type { Issue } from '#contracts/errors';
import type { Post } from '#contracts/posts';
import { bounds } from '#server/base/bounds';
import { ApprovalRun, type Caller, type Preparation, type ReadyPost } from '#server/base/context';
import { notFound, Refusal } from '#server/base/errors';
import { createYieldToEventLoop } from '#server/base/jobs/yield-to-event-loop';
import type { Accounts, ConnectedNetwork } from '#server/connecting/accounts/accounts';
import { isVideoFit, requestKey } from '#server/media/fit-request';
import type { MediaLibrary } from '#server/media/library';
import { describeUploadAddress, type UploadAddresses } from '#server/media/upload-addresses';
import type { NetworkMedia } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import { asksForFit, type Fits, type FittablePost, type Fitting, mediaWith, unfitted } from './fitting.ts';
import { checkLimits, type Findings } from './limits.ts';
import type { LinkCardStore } from './link-card-store.ts';
import type { LinkCards } from './link-cards.ts';
import { mediaIn, pinOf } from './outgoing.ts';
import type { PostStore } from './post-store.ts';

/** One round fits at most `bounds.fittedFiles` files. */
const mostRounds = 4;

type FetchedCards = Parameters<LinkCardStore['keepLinkCards']>[2];

/** Nothing is stored of a post that does not exist yet, so its cards are stored when it is scheduled. */
class FetchedPost implements ReadyPost {
  readonly is = 'Ready';
  readonly linkCards: FetchedCards;

  constructor(linkCards: FetchedCards) {
    this.linkCards = linkCards;
  }
}

export type Readiness = ReturnType<typeof createReadiness>;

/** What a post needs before it can go out, and what keeps it from that. */
export const createReadiness = ({
  store,
  linkCardStore,
  accounts,
  library,
  networks,
  fitting,
  linkCards,
  uploadAddresses,
  reachable,
}: {
  store: PostStore;
  linkCardStore: LinkCardStore;
  accounts: Accounts;
  library: MediaLibrary;
  networks: Networks;
  fitting: Fitting;
  linkCards: LinkCards;
  uploadAddresses: Pick<UploadAddresses, 'offer'>;
  reachable: boolean;
}) => {
  /** The networks and media that the posts refer to. */
  const readContext = async (caller: Pick<Caller, 'workspaceId'>, posts: readonly FittablePost[]) => {
    const ids = [...new Set(posts.flatMap(({ accountIds }) => accountIds))];
    return readContextOf(caller, posts, await accounts.connectedOf(caller, ids));
  };

  const readContextOf = async (
    caller: Pick<Caller, 'workspaceId'>,
    posts: readonly FittablePost[],
    connected: ReadonlyMap<string, ConnectedNetwork>,
  ) => ({
    workspaceId: caller.workspaceId,
    networkOf: networkIn(connected),
    media: await library.find(caller, mediaIn(posts.flatMap(({ versions }) => versions))),
  });

  const networkIn = (connected: ReadonlyMap<string, ConnectedNetwork>) => (accountId: string) => {
    const { network: key = '', facts = null } = connected.get(accountId) ?? {};
    const network = networks.find(key);
    return network && { network, facts };
  };

  /** The fitted files that replace the post's files, where they are finished. */
  const fitsOf = async (caller: Caller, post: FittablePost): Promise<Fits> =>
    (await fitting.of([post], await readContext(caller, [post]))).get(post.id) ?? new Map();

  const check = async (
    caller: Caller,
    post: Post,
    how?: Parameters<Fitting['of']>[2],
  ): Promise<Findings & { readonly fits: Fits }> => {
    const context = await readContext(caller, [post]);
    const fits = (await fitting.of([post], context, how)).get(post.id) ?? new Map();
    return { ...(await checkLimits(post, { ...context, fits, reachable })), fits };
  };

  /** Checks the post after fitting its pictures and queueing its videos. */
  const examine = async (caller: Caller, post: Post) => {
    const findings = await check(caller, post);
    const pending = pendingIn(findings.fits);
    if (pending.length === 0) return findings;
    await fitting.make(caller.workspaceId, pending);
    return check(caller, post);
  };

  /** Fits the remaining pictures, and starts video conversions without waiting for them. */
  const fitPictures = async (caller: Caller, post: FittablePost) => {
    if (!asksForFit(post)) return;
    for (let round = 0; round < mostRounds; round++) {
      const pending = pendingIn(await fitsOf(caller, post));
      if (pending.length === 0 || !(await fitting.make(caller.workspaceId, pending))) return;
      if (pending.every(isVideoFit)) return;
    }
  };

  /** The fitted files of a scheduled post count as final. */
  const fitLikeDraft = (caller: Caller, post: Omit<FittablePost, 'status'>) =>
    fitPictures(caller, { ...post, status: 'Draft' });

  /** Called under the lock of the post, so that what was checked is what is sent. */
  const mustBePublishable = async (caller: Caller, post: Post, preparation: Preparation) => {
    if (preparation instanceof FetchedPost)
      await linkCardStore.keepLinkCards(caller.workspaceId, post.id, preparation.linkCards);
    const { issues, warnings, fits } = await check(caller, post, { isFrozen: () => false });
    const isBeforeFitting = preparation instanceof ApprovalRun && preparation.isBeforeFitting;
    const broken = [...warnings.filter(({ code }) => code === 'NoAccounts'), ...issues].filter(
      ({ code }) => !(isBeforeFitting && code === unfitted),
    );
    if (broken.length > 0) throw invalid(broken);
    await fitting.keep(caller.workspaceId, post.id, fits);
  };

  /**
   * Tells a caller without the app how to add files to a post. Only one issue says it, because an address accepts one
   * file.
   */
  const withUploadAdvice = (caller: Caller, issues: Issue[]): Issue[] => {
    const first = issues.findIndex(({ code }) => code === 'MediaRequired');
    const upload = first === -1 ? undefined : uploadAddresses.offer(caller);
    if (upload === undefined) return issues;
    const advice = `Send posts.update with media: ids of media.list, or https:// addresses. ${describeUploadAddress(upload)}`;
    return issues.map((issue, i) => (i === first ? { ...issue, message: `${issue.message} ${advice}` } : issue));
  };

  return {
    /** What a human is shown before deciding. */
    findings: async (caller: Caller, post: Post): Promise<Findings> => {
      const { issues, warnings } = await examine(caller, post);
      return { issues, warnings };
    },

    examine,

    /** The limits that decided posts would break if they were published now. Does not fit any files. */
    findBrokenLimits: async (
      workspaceId: string,
      posts: readonly Post[],
      connected: ReadonlyMap<string, ConnectedNetwork>,
    ): Promise<ReadonlyMap<string, readonly Issue[]>> => {
      const context = await readContextOf({ workspaceId }, posts, connected);
      const fits = await fitting.of(posts, context);
      const yieldToEventLoop = createYieldToEventLoop();
      const issuesById = new Map<string, readonly Issue[]>();
      for (const post of posts) {
        const { issues } = await checkLimits(post, { ...context, fits: fits.get(post.id) ?? new Map(), reachable });
        issuesById.set(post.id, issues);
        await yieldToEventLoop();
      }
      return issuesById;
    },

    /**
     * What posts.schedule would refuse in a draft whose files are still addresses: broken limits that hold whether the
     * files turn out to be images or videos. Limits on the files themselves cannot be checked yet.
     */
    findBlocking: async (
      { accountIds, versions }: Pick<Post, 'accountIds' | 'versions'>,
      connected: ReadonlyMap<string, ConnectedNetwork>,
    ): Promise<Findings['issues']> => {
      const networkOf = networkIn(connected);
      const urls = versions.flatMap(({ content }) => content.flatMap(({ media }) => media));
      const post: Post = { id: '', status: 'Draft', accountIds, versions, results: [], updatedAt: '' };
      const issuesWith = async (kind: 'Image' | 'Video') => {
        const media = new Map(urls.map((url) => [url, unfetched(url, kind)]));
        const { issues } = await checkLimits(post, { networkOf, media, reachable });
        return issues.filter(({ path, code }) => !/\.media\.\d+$/.test(path) && code !== 'MediaGone');
      };
      const issues = await issuesWith('Image');
      if (urls.length === 0 || issues.length === 0) return issues;
      const others = new Set(
        (await issuesWith('Video')).map(({ path, code, accountId }) => `${path} ${code} ${accountId}`),
      );
      return issues.filter(({ path, code, accountId }) => others.has(`${path} ${code} ${accountId}`));
    },

    fits: fitsOf,

    /** Whatever schedules or publishes a post, or asks a person to, does this first: it takes too long for a transaction. */
    makeReady: async (caller: Caller, post: Omit<FittablePost, 'status'>): Promise<ReadyPost> => {
      const cards = await linkCards.keep(caller, post);
      await fitLikeDraft(caller, post);
      return new FetchedPost(cards);
    },

    /** What a person is asked to change in a scheduled post. A link that it brings in shows its address and nothing else. */
    fitChange: fitLikeDraft,

    mustBePublishable,

    /** Called when a draft was saved: queues video conversions, because they take long. */
    beginFits: async (caller: Caller, post: FittablePost) => {
      if (asksForFit(post)) await fitting.begin(caller.workspaceId, pendingIn(await fitsOf(caller, post)));
    },

    /** Whether a fitted file that the post needs is not finished yet. */
    isPreparing: async (caller: Caller, post: FittablePost) => pendingIn(await fitsOf(caller, post)).length > 0,

    /** While a person is asked about the post. A decided post keeps the fitted files it was decided with. */
    keepFits: async (caller: Caller, post: Post) => {
      if (post.status !== 'Draft' && post.status !== 'Failed') return;
      await fitting.keep(caller.workspaceId, post.id, await fitsOf(caller, post));
    },

    /** Hashes of each post and of what it would publish: see pinOf. */
    pins: async (caller: Caller, posts: readonly Post[]): Promise<ReadonlyMap<string, Pin>> => {
      const context = await readContext(caller, posts);
      const { networkOf, media } = context;
      const ids = posts.map(({ id }) => id);
      const cards = await linkCardStore.linkCards(caller.workspaceId, ids);
      const fits = await fitting.of(posts, context);
      const pin = (post: Post): Pin => {
        const of = (mediaFor?: (accountId: string) => ReadonlyMap<string, NetworkMedia>) =>
          pinOf(post, (id) => networkOf(id)?.network, media, cards.get(post.id) ?? [], mediaFor);
        const own = fits.get(post.id) ?? new Map();
        return {
          ready: of((id) => mediaWith(media, own.get(id))),
          preparing: createHash('sha256').update(of()).update(wishesText(own)).digest(),
        };
      };
      return new Map(posts.map((post) => [post.id, pin(post)]));
    },

    validate: async (caller: Caller, id: string) => {
      const post = await store.get(caller.workspaceId, id);
      if (post === undefined) throw notFound('post', id);
      const { issues, warnings } = await examine(caller, post);
      if (issues.length > 0) throw invalid(withUploadAdvice(caller, issues));
      return { valid: true as const, issues, warnings, accountIds: post.accountIds };
    },
  };
};

const unfetched = (id: string, kind: 'Image' | 'Video'): NetworkMedia => ({
  id,
  kind,
  mimeType: kind === 'Image' ? 'image/jpeg' : 'video/mp4',
  bytes: 1000,
  width: 1000,
  height: 1000,
  ...(kind === 'Video' && { durationMs: 10_000 }),
});

const invalid = (issues: Findings['issues']) =>
  new Refusal('Invalid', `The post breaks ${howMany(issues.length)}: ${issues[0]?.message}`, issues);

/** Two hashes of what would go out. */
export interface Pin {
  /** With the files as they are now. */
  readonly ready: Buffer;
  /** With the requested fitting instead of its results, so it stays the same while files are being fitted. */
  readonly preparing: Buffer;
}

const wishesText = (fits: Fits) =>
  JSON.stringify([...fits].map(([accountId, { requests }]) => [accountId, requests.map(requestKey)]));

const pendingIn = (fits: Fits) => [...fits.values()].flatMap(({ pending }) => pending);

const howMany = (limits: number) =>
  limits === 1 ? 'a limit' : `${limits === bounds.brokenLimits ? 'at least ' : ''}${limits} limits`;
