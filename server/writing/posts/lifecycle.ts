import { createHash } from 'node:crypto';
import type { Issue } from '#contracts/errors';
import type { Post, Result } from '#contracts/posts';
import type { Rights } from '#server/access/auth/rights';
import type { Plans } from '#server/access/plans/plans';
import { bounds } from '#server/base/bounds';
import type { Clock } from '#server/base/clock';
import type { ApprovalRun, Caller } from '#server/base/context';
import { badInput, mustBeHuman, notFound, pageOf, Refusal } from '#server/base/errors';
import { createYieldToEventLoop } from '#server/base/jobs/yield-to-event-loop';
import type { Accounts, ConnectedNetwork } from '#server/connecting/accounts/accounts';
import { isVideoFit, requestKey } from '#server/media/fitted-files';
import type { MediaLibrary } from '#server/media/library';
import { describeUploadAddress, type UploadAddresses } from '#server/media/upload-addresses';
import type { Network, NetworkMedia } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import type { Revisions } from '#server/writing/history/revisions';
import { asksForFit, type Fits, type FittablePost, type Fitting, mediaWith, unfitted } from './fitting.ts';
import { checkLimits, type Findings } from './limits.ts';
import type { LinkCards } from './link-cards.ts';
import type { Outcomes } from './outcome.ts';
import { mediaIn, pinOf } from './outgoing.ts';
import type { RemovedPost } from './post-row.ts';
import type { PostStore } from './store.ts';

/** One round fits at most `bounds.fittedFiles` files. */
const mostRounds = 4;

export type Lifecycle = ReturnType<typeof createLifecycle>;

/** How a post moves from state to state (SPEC, States and transitions). */
export const createLifecycle = ({
  store,
  accounts,
  library,
  networks,
  fitting,
  uploadAddresses,
  rights,
  plans,
  deletion,
  outcomes,
  linkCards,
  revisions,
  reachable,
  baseUrl,
  clock,
}: {
  store: PostStore;
  accounts: Accounts;
  library: MediaLibrary;
  networks: Networks;
  fitting: Fitting;
  uploadAddresses: Pick<UploadAddresses, 'offer'>;
  rights: Rights;
  plans: Plans;
  /** Refuses while the workspace waits to be deleted. */
  deletion: { mustStay(workspaceId: string): Promise<void> };
  outcomes: Outcomes;
  linkCards: LinkCards;
  revisions: Revisions;
  reachable: boolean;
  baseUrl: string;
  clock: Clock;
}) => {
  const lockPost = async ({ workspaceId }: Caller, id: string) => {
    const post = await store.lock(workspaceId, id);
    if (post === undefined) throw notFound('post', id);
    return post;
  };

  /**
   * Whatever makes a post public, or takes it back, calls this, no matter which interface or bulk action it came
   * through.
   */
  const mustDecide = (caller: Caller, what: string, id: string) => {
    mustBeHuman(caller, what, pageOf(baseUrl, 'post', id));
    return rights.mustPublish(caller);
  };

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

  /** Checks the post after fitting its pictures and queueing its videos. Slow, so do not call it in a transaction. */
  const examine = async (caller: Caller, post: Post) => {
    const findings = await check(caller, post);
    const pending = pendingIn(findings.fits);
    if (pending.length === 0) return findings;
    await fitting.make(caller.workspaceId, pending);
    return check(caller, post);
  };

  /**
   * Fits the remaining pictures, and starts video conversions without waiting for them. Fitting is slow, so call it before
   * the transaction that schedules or publishes. A scheduled post keeps the files that were approved.
   */
  const fitPictures = async (caller: Caller, post: FittablePost) => {
    if (!asksForFit(post)) return;
    for (let round = 0; round < mostRounds; round++) {
      const pending = pendingIn(await fitsOf(caller, post));
      if (pending.length === 0 || !(await fitting.make(caller.workspaceId, pending))) return;
      if (pending.every(isVideoFit)) return;
    }
  };

  /** Inside the transaction that publishes or schedules, so that what was checked is what is sent. */
  const mustBePublishable = async (caller: Caller, post: Post, approval?: ApprovalRun) => {
    const { issues, warnings, fits } = await check(caller, post, { isFrozen: () => false });
    const broken = [...warnings.filter(({ code }) => code === 'NoAccounts'), ...issues].filter(
      ({ code }) => !(approval?.isBeforeFitting && code === unfitted),
    );
    if (broken.length > 0) throw invalid(broken);
    await fitting.keep(caller.workspaceId, post.id, fits);
  };

  /**
   * Counts what will be sent now against the plan. An account that has a result was counted on its first attempt, and is
   * not counted again.
   */
  const usePlan = async (caller: Caller, post: Post, { scheduled }: { scheduled: boolean }) =>
    plans.use(caller.workspaceId, await networksToCount(caller, post), {
      scheduled,
      again: await failedOn(caller, post),
    });

  const giveBack = async ({ workspaceId }: Caller, id: string) =>
    plans.giveBack(workspaceId, await store.counted(id, workspaceId));

  const failedOn = (caller: Caller, { results }: Post) =>
    networksOf(
      caller,
      results.filter(({ ok }) => !ok).map(({ accountId }) => accountId),
    );

  const networksToCount = (caller: Caller, { accountIds, results }: Post) =>
    networksOf(
      caller,
      accountIds.filter((id) => results.every(({ accountId }) => accountId !== id)),
    );

  /** One network per account, so a network may repeat. Leaves out accounts that are no longer connected. */
  const networksOf = async (caller: Caller, accountIds: readonly string[]): Promise<Network[]> => {
    const connected = await accounts.connectedOf(caller, accountIds);
    return accountIds.flatMap((id) => {
      const network = networks.find(connected.get(id)?.network ?? '');
      return network ? [network] : [];
    });
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

  const mustBeFuture = (at: string, path: string) => {
    if (new Date(at) <= clock.now()) {
      throw badInput({ path, code: 'NotInFuture', message: 'must be an instant in the future', actual: at });
    }
  };

  /** `field` is the caller's name for the time. The pictures must be fitted before. */
  const toScheduled = (caller: Caller, id: string, at: string, field: string, approval?: ApprovalRun) =>
    store.transaction(async () => {
      const by = await mustDecide(caller, 'Scheduling a post', id);
      mustBeFuture(at, field);
      await deletion.mustStay(caller.workspaceId);
      const post = await lockPost(caller, id);
      // An agent has no other way to ask for another time. A person moves it by posts.update.
      if (approval && post.status === 'Scheduled') return moveTo(caller, post, at, approval);
      if (post.status !== 'Draft' && post.status !== 'Failed') {
        throw notFrom(post, 'scheduled', 'a Draft or Failed post');
      }
      await mustBePublishable(caller, post, approval);
      const counted = await usePlan(caller, post, { scheduled: true });
      await store.wake();
      await revisions.recordStatus(caller, id, 'Scheduled', at);
      await store.setCounted(id, by, counted);
      return store.move(id, by, 'Scheduled', at);
    });

  /** After a change of a Scheduled post: its use of the plan and its time may have changed too. */
  const recheckScheduled = async (caller: Caller, before: Post, after: Post, approval?: ApprovalRun) => {
    const by = await mustDecide(caller, 'Changing a scheduled post', after.id);
    await mustBePublishable(caller, after, approval);
    const { workspaceId } = caller;
    const [networksBefore, networksAfter] = [
      await networksToCount(caller, before),
      await networksToCount(caller, after),
    ];
    const counted = await store.counted(after.id, workspaceId);
    const again = await failedOn(caller, after);
    const countedNow = await plans.change(workspaceId, counted, networksBefore, networksAfter, { again });
    await store.setCounted(after.id, by, countedNow);
    await store.wake();
    if (after.scheduledAt !== before.scheduledAt) {
      await revisions.recordStatus(caller, after.id, 'Scheduled', after.scheduledAt);
    }
  };

  const moveTo = async (caller: Caller, post: Post, at: string, approval: ApprovalRun) => {
    if (post.scheduledAt === at) {
      throw new Refusal('Conflict', `The post ${post.id} is scheduled for ${at} already. There is nothing to move.`);
    }
    const moved = await store.replace(post.id, caller.workspaceId, { ...post, scheduledAt: at });
    await recheckScheduled(caller, post, moved, approval);
    return moved;
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

    fitPictures,

    /** Called when a draft was saved: queues video conversions, because they take long. */
    beginFits: async (caller: Caller, post: FittablePost) => {
      if (asksForFit(post)) await fitting.begin(caller.workspaceId, pendingIn(await fitsOf(caller, post)));
    },

    /** Whether a fitted file that the post needs is not finished yet. */
    isPreparing: async (caller: Caller, post: FittablePost) => pendingIn(await fitsOf(caller, post)).length > 0,

    /**
     * Call in the transaction in which a person is asked about the post. A decided post keeps the fitted files it was
     * decided with.
     */
    keepFits: async (caller: Caller, post: Post) => {
      if (post.status !== 'Draft' && post.status !== 'Failed') return;
      await fitting.keep(caller.workspaceId, post.id, await fitsOf(caller, post));
    },

    /** Hashes of each post and of what it would publish: see pinOf. */
    pins: async (caller: Caller, posts: readonly Post[]): Promise<ReadonlyMap<string, Pin>> => {
      const context = await readContext(caller, posts);
      const { networkOf, media } = context;
      const ids = posts.map(({ id }) => id);
      const cards = await store.linkCards(caller.workspaceId, ids);
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

    mustBeFuture,

    validate: async (caller: Caller, id: string) => {
      const post = await store.get(caller.workspaceId, id);
      if (post === undefined) throw notFound('post', id);
      const { issues, warnings } = await examine(caller, post);
      if (issues.length > 0) throw invalid(withUploadAdvice(caller, issues));
      return { valid: true as const, issues, warnings, accountIds: post.accountIds };
    },

    schedule: async (caller: Caller, id: string, at: string, approval?: ApprovalRun) => {
      if (approval) return toScheduled(caller, id, at, 'at', approval);
      const draft = await store.get(caller.workspaceId, id);
      if (draft) await fitPictures(caller, draft);
      const post = await toScheduled(caller, id, at, 'at');
      await linkCards.keep(caller, post);
      return post;
    },

    toScheduled,

    recheckScheduled,

    /** Back to Draft or Failed. The time stays as a suggestion. */
    unschedule: (caller: Caller, id: string) =>
      store.transaction(async () => {
        const post = await lockPost(caller, id);
        if (post.status !== 'Scheduled') throw notFrom(post, 'taken back', 'a Scheduled post');
        const by = await mustDecide(caller, 'Unscheduling a post', id);
        await giveBack(caller, id);
        const before = post.results.length > 0 ? 'Failed' : 'Draft';
        await revisions.recordStatus(caller, id, 'Unscheduled');
        return store.move(id, by, before, post.scheduledAt ?? null);
      }),

    /**
     * Refuses what cannot be published now, and counts the post against the plan. Inside the transaction that begins to
     * publish. `only` are failed accounts to retry; returns the results of the other failed accounts, which stay as they are.
     */
    readyNow: async (
      caller: Caller,
      id: string,
      only: readonly string[] = [],
      approval?: ApprovalRun,
    ): Promise<Result[]> => {
      await mustDecide(caller, 'Publishing a post', id);
      await deletion.mustStay(caller.workspaceId);
      const post = await lockPost(caller, id);
      if (post.status !== 'Draft' && post.status !== 'Failed')
        throw notFrom(post, 'published', 'a Draft or Failed post');
      const failed = post.results.filter(({ ok }) => !ok);
      if (!only.every((accountId) => failed.some((result) => result.accountId === accountId))) {
        throw new Refusal('Conflict', `Not all of these accounts failed on the post ${id}. Read it again.`);
      }
      await mustBePublishable(caller, post, approval);
      await usePlan(caller, post, { scheduled: false });
      await revisions.recordStatus(caller, id, 'Publishing');
      return only.length === 0 ? [] : failed.filter(({ accountId }) => !only.includes(accountId));
    },

    mustDecide,

    /** A person checked uncertain accounts and found the post there. Returns their new results too. */
    confirmFound: (caller: Caller, id: string, accountIds: readonly string[]) =>
      store.transaction(async () => {
        await rights.mustHold(caller);
        const post = await lockPost(caller, id);
        const isConfirmed = ({ accountId, uncertain }: Result) => uncertain && accountIds.includes(accountId);
        const uncertainResults = post.results.filter(isConfirmed);
        if (post.status !== 'Failed' || uncertainResults.length !== new Set(accountIds).size) {
          throw new Refusal('Conflict', `Not all of these accounts are uncertain on the post ${id}. Read it again.`);
        }
        const confirmed = uncertainResults.map(
          ({ error: _, ...result }): Result => ({ ...result, ok: true, uncertain: false }),
        );
        const results = post.results.map(
          (result) => confirmed.find(({ accountId }) => accountId === result.accountId) ?? result,
        );
        const hasPost = (accountId: string) => results.some((result) => result.ok && result.accountId === accountId);
        const status = post.accountIds.every(hasPost) ? 'Published' : 'Failed';
        const settled = await store.setResults(id, caller.workspaceId, results, status);
        if (status === 'Published') await outcomes.tellOf(caller, id);
        return { post: settled, confirmed };
      }),

    /** Inside the transaction that moves the post to the bin. */
    remove: async (caller: Caller, id: string): Promise<RemovedPost> => {
      const post = await lockPost(caller, id);
      if (post.status === 'Publishing' || post.status === 'Published') {
        throw notFrom(post, 'deleted', 'a post that is not published');
      }
      if (post.status === 'Scheduled') {
        await mustDecide(caller, 'Deleting a scheduled post', id);
        await giveBack(caller, id);
      }
      return store.remove(id, caller.workspaceId);
    },

    /** Inside the transaction that takes the post out of the bin. */
    restore: (caller: Caller, deleted: RemovedPost) => store.putBack(caller.workspaceId, toDraft(deleted)),
  };
};

/** Accounts that have the post or a part of it, or may have it. */
export const reachedBy = ({ results, account_ids }: Pick<RemovedPost, 'results' | 'account_ids'>) =>
  account_ids.filter((id) => results.some((result) => result.accountId === id && hasReached(result)));

const hasReached = ({ ok, uncertain, externalId }: Result) => ok || uncertain || externalId !== undefined;

/**
 * A restored draft goes only to accounts that have nothing of the post, so that publishing it sends nothing twice. The
 * row keeps the results of the others: when such an account is added again, its send continues where it was.
 */
const toDraft = (post: RemovedPost): RemovedPost => {
  const reached = reachedBy(post);
  return {
    ...post,
    account_ids: post.account_ids.filter((id) => !reached.includes(id)),
    versions: post.versions.filter(({ accountId }) => accountId === undefined || !reached.includes(accountId)),
    results: post.results.filter(hasReached),
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

const notFrom = ({ id, status }: Post, done: string, from: string) =>
  new Refusal('Conflict', `The post ${id} is ${status}; only ${from} can be ${done}. Read it again.`);
