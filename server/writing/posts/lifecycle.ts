import type { Post, Result } from '#contracts/posts';
import type { Rights } from '#server/access/auth/rights';
import { mustBeDone, needsApproval } from '#server/base/approval';
import type { Clock } from '#server/base/clock';
import { ApprovalRun, type Caller, type Preparation } from '#server/base/context';
import { badInput, notFound, pageOf, Refusal } from '#server/base/errors';
import type { Revisions } from '#server/writing/history/revisions';
import type { Outcomes } from './outcome.ts';
import type { PlanCount } from './plan-count.ts';
import type { RemovedPost } from './post-row.ts';
import type { PostStore } from './post-store.ts';
import type { Readiness } from './readiness.ts';

export type Lifecycle = ReturnType<typeof createLifecycle>;

/** How a post moves from state to state (SPEC, States and transitions). */
export const createLifecycle = ({
  store,
  readiness,
  planCount,
  rights,
  deletion,
  outcomes,
  revisions,
  baseUrl,
  clock,
}: {
  store: PostStore;
  readiness: Readiness;
  planCount: PlanCount;
  rights: Rights;
  /** Refuses while the workspace waits to be deleted. */
  deletion: { mustStay(workspaceId: string): Promise<void> };
  outcomes: Outcomes;
  revisions: Revisions;
  baseUrl: string;
  clock: Clock;
}) => {
  const lockPost = async ({ workspaceId }: Caller, id: string) => {
    const post = await store.lock(workspaceId, id);
    if (post === undefined) throw notFound('post', id);
    return post;
  };

  const postNeedsApproval = (caller: Caller, what: string, id: string) =>
    needsApproval(caller, what, pageOf(baseUrl, 'post', id));

  /**
   * Whatever makes a post public, or takes it back, calls this, no matter which interface or bulk action it came
   * through.
   */
  const mustDecide = (caller: Caller, what: string, id: string) => {
    mustBeDone(postNeedsApproval(caller, what, id));
    return rights.mustPublish(caller);
  };

  const mustBeFuture = (at: string, path: string) => {
    if (new Date(at) <= clock.now()) {
      throw badInput({ path, code: 'NotInFuture', message: 'must be an instant in the future', actual: at });
    }
  };

  /** `field` is the caller's name for the time. */
  const toScheduled = (caller: Caller, id: string, at: string, field: string, preparation: Preparation) =>
    store.transaction(async () => {
      const by = await mustDecide(caller, 'Scheduling a post', id);
      mustBeFuture(at, field);
      await deletion.mustStay(caller.workspaceId);
      const post = await lockPost(caller, id);
      // An agent has no other way to ask for another time. A person moves it by posts.update.
      if (post.status === 'Scheduled' && preparation instanceof ApprovalRun)
        return moveTo(caller, post, at, preparation);
      if (post.status !== 'Draft' && post.status !== 'Failed') {
        throw notFrom(post, 'scheduled', 'a Draft or Failed post');
      }
      await readiness.mustBePublishable(caller, post, preparation);
      const counted = await planCount.use(caller, post, { scheduled: true });
      await store.wake();
      await revisions.recordStatus(caller, id, 'Scheduled', at);
      await store.setCounted(id, by, counted);
      return store.move(id, by, 'Scheduled', at);
    });

  /** After a change of a Scheduled post: its use of the plan and its time may have changed too. */
  const recheckScheduled = async (caller: Caller, before: Post, after: Post, preparation: Preparation) => {
    const by = await mustDecide(caller, 'Changing a scheduled post', after.id);
    await readiness.mustBePublishable(caller, after, preparation);
    await planCount.change(caller, by, before, after);
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
    mustBeFuture,

    schedule: async (caller: Caller, id: string, at: string, preparation?: Preparation) => {
      if (preparation) return toScheduled(caller, id, at, 'at', preparation);
      const draft = await store.get(caller.workspaceId, id);
      if (draft === undefined) throw notFound('post', id);
      return toScheduled(caller, id, at, 'at', await readiness.makeReady(caller, draft));
    },

    toScheduled,

    recheckScheduled,

    /** Back to Draft or Failed. The time stays as a suggestion. */
    unschedule: (caller: Caller, id: string) =>
      store.transaction(async () => {
        const post = await lockPost(caller, id);
        if (post.status !== 'Scheduled') throw notFrom(post, 'taken back', 'a Scheduled post');
        const by = await mustDecide(caller, 'Unscheduling a post', id);
        await planCount.giveBack(caller, id);
        const before = post.results.length > 0 ? 'Failed' : 'Draft';
        await revisions.recordStatus(caller, id, 'Unscheduled');
        return store.move(id, by, before, post.scheduledAt ?? null);
      }),

    /**
     * Refuses what cannot be published now, and counts the post against the plan. `only` are failed accounts to retry;
     * returns the results of the other failed accounts, which stay as they are.
     */
    readyNow: async (
      caller: Caller,
      id: string,
      only: readonly string[],
      preparation: Preparation,
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
      await readiness.mustBePublishable(caller, post, preparation);
      await planCount.use(caller, post, { scheduled: false });
      await revisions.recordStatus(caller, id, 'Publishing');
      return only.length === 0 ? [] : failed.filter(({ accountId }) => !only.includes(accountId));
    },

    needsApproval: postNeedsApproval,

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

    /** Under the lock of the post, which the bin then stores. */
    remove: async (caller: Caller, id: string): Promise<RemovedPost> => {
      const post = await lockPost(caller, id);
      if (post.status === 'Publishing' || post.status === 'Published') {
        throw notFrom(post, 'deleted', 'a post that is not published');
      }
      if (post.status === 'Scheduled') {
        await mustDecide(caller, 'Deleting a scheduled post', id);
        await planCount.giveBack(caller, id);
      }
      return store.remove(id, caller.workspaceId);
    },

    restore: (caller: Caller, deleted: RemovedPost) => store.putBack(caller.workspaceId, toDraft(deleted)),
  };
};

/** Accounts that have the post or a part of it, or may have it. */
export const reachedBy = ({ results, accountIds }: Pick<RemovedPost, 'results' | 'accountIds'>) =>
  accountIds.filter((id) => results.some((result) => result.accountId === id && hasReached(result)));

const hasReached = ({ ok, uncertain, externalId }: Result) => ok || uncertain || externalId !== undefined;

/**
 * A restored draft goes only to accounts that have nothing of the post, so that publishing it sends nothing twice. The
 * row keeps the results of the others: when such an account is added again, its send continues where it was.
 */
const toDraft = (post: RemovedPost): RemovedPost => {
  const reached = reachedBy(post);
  return {
    ...post,
    accountIds: post.accountIds.filter((id) => !reached.includes(id)),
    versions: post.versions.filter(({ accountId }) => accountId === undefined || !reached.includes(accountId)),
    results: post.results.filter(hasReached),
  };
};

const notFrom = ({ id, status }: Post, done: string, from: string) =>
  new Refusal('Conflict', `The post ${id} is ${status}; only ${from} can be ${done}. Read it again.`);
