import type { Post } from '#contracts/posts';
import type { Accounts } from '#server/accounts/accounts';
import type { Clock } from '#server/clock';
import type { Caller } from '#server/context';
import { badInput, notFound, Refusal } from '#server/errors';
import type { MediaLibrary } from '#server/media/library';
import type { Networks } from '#server/networks/registry';
import { checkLimits, type Findings } from './limits.ts';
import type { PostStore } from './store.ts';

export type Lifecycle = ReturnType<typeof createLifecycle>;

/** How a post moves from state to state (SPEC, States and transitions). */
export const createLifecycle = ({
  store,
  accounts,
  library,
  networks,
  reachable,
  clock,
}: {
  store: PostStore;
  accounts: Accounts;
  library: MediaLibrary;
  networks: Networks;
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
        const key = networkOf.get(accountId);
        return key === undefined ? undefined : networks.find(key);
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
        return store.move(id, caller.workspaceId, 'Scheduled', at);
      }),

    publishNow: (caller: Caller, id: string) =>
      store.transaction(async () => {
        const post = await locked(caller, id);
        if (post.status !== 'Draft' && post.status !== 'Failed')
          throw notFrom(post, 'published', 'a Draft or Failed post');
        await mustBePublishable(caller, post);
        return store.move(id, caller.workspaceId, 'Publishing');
      }),

    remove: (caller: Caller, id: string) =>
      store.transaction(async () => {
        const post = await locked(caller, id);
        if (post.status === 'Publishing' || post.status === 'Published') {
          throw notFrom(post, 'deleted', 'a post that is not published');
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
