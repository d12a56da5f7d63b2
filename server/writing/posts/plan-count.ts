import type { Post } from '#contracts/posts';
import type { RightToPublish } from '#server/access/auth/right';
import type { Plans } from '#server/access/plans/plans';
import type { Caller } from '#server/base/context';
import type { Accounts } from '#server/connecting/accounts/accounts';
import type { Network } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import type { PostStore } from './post-store.ts';

export type PlanCount = ReturnType<typeof createPlanCount>;

/** What a post counts against the plan of its workspace. */
export const createPlanCount = ({
  store,
  accounts,
  networks,
  plans,
}: {
  store: PostStore;
  accounts: Accounts;
  networks: Networks;
  plans: Plans;
}) => {
  /**
   * Counts what will be sent now against the plan. An account that has a result was counted on its first attempt, and is
   * not counted again.
   */
  const use = async (caller: Caller, post: Post, { scheduled }: { scheduled: boolean }) =>
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

  return {
    use,

    giveBack,

    /** After a change of a Scheduled post. */
    change: async (caller: Caller, by: RightToPublish, before: Post, after: Post) => {
      const { workspaceId } = caller;
      const [networksBefore, networksAfter] = [
        await networksToCount(caller, before),
        await networksToCount(caller, after),
      ];
      const counted = await store.counted(after.id, workspaceId);
      const again = await failedOn(caller, after);
      const countedNow = await plans.change(workspaceId, counted, networksBefore, networksAfter, { again });
      await store.setCounted(after.id, by, countedNow);
    },
  };
};
