import type { Post, Result } from '#contracts/posts';
import type { Accounts } from '#server/accounts/accounts';
import type { Clock } from '#server/clock';
import type { Caller } from '#server/context';
import { badInput, notFound, Refusal } from '#server/errors';
import type { MediaLibrary } from '#server/media/library';
import type { Network } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import type { Plans } from '#server/plans/plans';
import { checkLimits, type Findings } from './limits.ts';
import type { Outcomes } from './outcome.ts';
import type { PostStore } from './store.ts';

export type Lifecycle = ReturnType<typeof createLifecycle>;

/** How a post moves from state to state (SPEC, States and transitions). */
export const createLifecycle = ({
  store,
  accounts,
  library,
  networks,
  plans,
  outcomes,
  reachable,
  clock,
}: {
  store: PostStore;
  accounts: Accounts;
  library: MediaLibrary;
  networks: Networks;
  plans: Plans;
  outcomes: Outcomes;
  reachable: boolean;
  clock: Clock;
}) => {
  const locked = async ({ workspaceId }: Caller, id: string) => {
    const post = await store.lock(workspaceId, id);
    if (post === undefined) throw notFound('post', id);
    return post;
  };

  const check = async (caller: Caller, post: Post): Promise<Findings> => {
    const networkOf = await accounts.connectedOf(caller, post.accountIds);
    const used = post.versions.flatMap(({ content }) => content.flatMap(({ media }) => media));
    return checkLimits(post, {
      networkOf: (accountId) => {
        const { network: key = '', facts = null } = networkOf.get(accountId) ?? {};
        const network = networks.find(key);
        return network && { network, facts };
      },
      media: await library.find(caller, used),
      reachable,
    });
  };

  const mustBePublishable = async (caller: Caller, post: Post) => {
    const { issues, warnings } = await check(caller, post);
    const broken = [...warnings.filter(({ code }) => code === 'NoAccounts'), ...issues];
    if (broken.length > 0) throw invalid(broken);
  };

  /** One for each account. */
  const networksOf = async (caller: Caller, accountIds: readonly string[]): Promise<Network[]> => {
    const connected = await accounts.connectedOf(caller, accountIds);
    return accountIds.flatMap((id) => {
      const network = networks.find(connected.get(id)?.network ?? '');
      return network ? [network] : [];
    });
  };

  const mustBeFuture = (at: string, path: string) => {
    if (new Date(at) <= clock.now()) {
      throw badInput({ path, code: 'NotInFuture', message: 'must be an instant in the future', actual: at });
    }
  };

  return {
    /** What a human is shown before deciding. */
    findings: check,
    mustBePublishable,
    mustBeFuture,

    validate: async (caller: Caller, id: string) => {
      const post = await store.get(caller.workspaceId, id);
      if (post === undefined) throw notFound('post', id);
      const { issues, warnings } = await check(caller, post);
      if (issues.length > 0) throw invalid(issues);
      return { valid: true as const, issues, warnings };
    },

    schedule: (caller: Caller, id: string, at: string) =>
      store.transaction(async () => {
        mustBeFuture(at, 'at');
        const post = await locked(caller, id);
        if (post.status !== 'Draft') throw notFrom(post, 'scheduled', 'a Draft');
        await mustBePublishable(caller, post);
        await plans.use(caller.workspaceId, await networksOf(caller, post.accountIds), { scheduled: true });
        await store.wake();
        return store.move(id, caller.workspaceId, 'Scheduled', at);
      }),

    /** Whether the plan covers what somebody asks a human for. */
    mustBeCovered: async (caller: Caller, post: Post, action: string) => {
      const scheduled = action === 'posts.schedule';
      if (!scheduled && (action !== 'posts.publishNow' || post.status !== 'Draft')) return;
      await plans.mayUse(caller.workspaceId, await networksOf(caller, post.accountIds), { scheduled });
    },

    /** A change of a Scheduled post: what it uses of the plan, and when it is due, may be something else now. */
    rescheduled: async (caller: Caller, before: Post, after: Post) => {
      await mustBePublishable(caller, after);
      await plans.giveBack(caller.workspaceId, await networksOf(caller, before.accountIds));
      await plans.use(caller.workspaceId, await networksOf(caller, after.accountIds), { scheduled: true });
      await store.wake();
    },

    /** Back to Draft; the time stays as a wish. */
    unschedule: (caller: Caller, id: string) =>
      store.transaction(async () => {
        const post = await locked(caller, id);
        if (post.status !== 'Scheduled') throw notFrom(post, 'taken back', 'a Scheduled post');
        await plans.giveBack(caller.workspaceId, await networksOf(caller, post.accountIds));
        return store.move(id, caller.workspaceId, 'Draft', post.scheduledAt ?? null);
      }),

    /**
     * `despite` are uncertain accounts that somebody looked at, and wants it sent to all the same. `only`: of the accounts
     * without the post, those that get it now; none means all.
     */
    publishNow: (
      caller: Caller,
      id: string,
      { despite = [], only = [] }: { despite?: readonly string[]; only?: readonly string[] } = {},
    ) =>
      store.transaction(async () => {
        const post = await locked(caller, id);
        if (post.status !== 'Draft' && post.status !== 'Failed')
          throw notFrom(post, 'published', 'a Draft or Failed post');
        const without = post.results.filter(({ ok }) => !ok).map(({ accountId }) => accountId);
        if (!only.every((accountId) => without.includes(accountId))) {
          throw new Refusal('Conflict', `Not all of these accounts failed on the post ${id}. Read it again.`);
        }
        await mustBePublishable(caller, post);
        // A Failed post was counted when it was published first.
        if (post.status === 'Draft') {
          await plans.use(caller.workspaceId, await networksOf(caller, post.accountIds), { scheduled: false });
        }
        if (despite.length > 0) await store.forgetBegun(id, despite);
        await store.begin([id]);
        const kept = post.results.filter(({ ok, accountId }) => !ok && !only.includes(accountId));
        if (only.length > 0) await store.holdBack(id, kept);
        await outcomes.end([id]);
        const begun = await store.get(caller.workspaceId, id);
        if (begun === undefined) throw new Error('a post that was locked is gone');
        return begun;
      }),

    /** A person looked at uncertain accounts and found the post there. */
    found: (caller: Caller, id: string, accountIds: readonly string[]) =>
      store.transaction(async () => {
        const post = await locked(caller, id);
        const isMeant = ({ accountId, uncertain }: Result) => uncertain === true && accountIds.includes(accountId);
        const meant = post.results.filter(isMeant);
        if (post.status !== 'Failed' || meant.length !== new Set(accountIds).size) {
          throw new Refusal('Conflict', `Not all of these accounts are uncertain on the post ${id}. Read it again.`);
        }
        const found = meant.map(({ error: _, ...result }): Result => ({ ...result, ok: true, uncertain: false }));
        const results = post.results.map(
          (result) => found.find(({ accountId }) => accountId === result.accountId) ?? result,
        );
        const settled = await store.settleFound(id, caller.workspaceId, results, found);
        if (settled.status === 'Published') await outcomes.tell([{ workspaceId: caller.workspaceId, post: settled }]);
        return settled;
      }),

    remove: (caller: Caller, id: string) =>
      store.transaction(async () => {
        const post = await locked(caller, id);
        if (post.status === 'Publishing' || post.status === 'Published') {
          throw notFrom(post, 'deleted', 'a post that is not published');
        }
        if (post.status === 'Scheduled') {
          await plans.giveBack(caller.workspaceId, await networksOf(caller, post.accountIds));
        }
        await store.remove(id, caller.workspaceId);
      }),
  };
};

const invalid = (issues: Findings['issues']) =>
  new Refusal(
    'Invalid',
    `The post breaks ${issues.length === 1 ? 'a limit' : `${issues.length} limits`}: ${issues[0]?.message}`,
    issues,
  );

const notFrom = ({ id, status }: Post, done: string, from: string) =>
  new Refusal('Conflict', `The post ${id} is ${status}; only ${from} can be ${done}. Read it again.`);
