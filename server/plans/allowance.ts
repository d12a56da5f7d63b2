import type { Clock } from '#server/clock';
import { notFound, Refusal } from '#server/errors';
import type { Network } from '#server/networks/network';
import type { PlanStore } from './store.ts';
import { type Plan, type PlanKey, plans } from './table.ts';

export type Plans = ReturnType<typeof createPlans>;

/** What a plan does not cover is refused here, for every door. Called inside the transaction of what it is about. */
export const createPlans = ({ store, clock }: { store: PlanStore; clock: Clock }) => {
  /** Locked, so that two at once cannot both be the last that fits. */
  const planOf = async (workspaceId: string): Promise<Plan> => {
    const key = await store.lockPlan(workspaceId);
    return isPlan(key) ? plans[key] : plans.unlimited;
  };
  const month = () => clock.now().toISOString().slice(0, 7);

  const mayUseNetworks = (plan: Plan, networks: readonly Network[]) => {
    const outside = plan.paidNetworks ? undefined : networks.find(({ paidPerPost }) => paidPerPost);
    if (outside) throw planLimit(plan, `${outside.name} is not part of it`, ({ paidNetworks }) => paidNetworks);
  };

  /** Whether one more post to these networks is covered, and networks that were counted before get it `again`. */
  const mayUse = async (
    workspaceId: string,
    networks: readonly Network[],
    { scheduled, again }: { scheduled: boolean; again: readonly Network[] },
  ) => {
    const plan = await planOf(workspaceId);
    mayUseNetworks(plan, [...networks, ...again]);
    const paid = networks.filter(({ paidPerPost }) => paidPerPost);
    const used = await store.usage(workspaceId, month());
    if (scheduled && isOver(used.scheduled + 1, plan.scheduledPerMonth)) {
      throw planLimit(
        plan,
        `the ${plan.scheduledPerMonth} scheduled posts of this month are used up`,
        ({ scheduledPerMonth }) => !isOver(used.scheduled + 1, scheduledPerMonth),
        'the next month',
      );
    }
    if (paid.length > 0 && isOver(used.paidPosts + paid.length, plan.paidPostsPerMonth)) {
      throw planLimit(
        plan,
        `the ${plan.paidPostsPerMonth} posts of this month on ${paid[0]?.name} are used up`,
        ({ paidPostsPerMonth }) => !isOver(used.paidPosts + paid.length, paidPostsPerMonth),
        'the next month',
      );
    }
  };

  return {
    /** One more account on this network. */
    mayConnect: async (workspaceId: string, network: Network) => {
      const plan = await planOf(workspaceId);
      mayUseNetworks(plan, [network]);
      const count = await store.accounts(workspaceId);
      if (isOver(count + 1, plan.accounts)) {
        throw planLimit(plan, `it has ${plan.accounts} accounts`, ({ accounts }) => !isOver(count + 1, accounts));
      }
    },

    mayJoin: async (workspaceId: string) => {
      const plan = await planOf(workspaceId);
      const count = await store.members(workspaceId);
      if (isOver(count + 1, plan.members)) {
        throw planLimit(plan, `it has ${plan.members} members`, ({ members }) => !isOver(count + 1, members));
      }
    },

    /** How many are covered. */
    webhooks: (key: string) => (isPlan(key) ? plans[key] : plans.unlimited).webhooks,

    /** Counts a post that will go to these networks, one entry for each account, or refuses it. */
    use: async (workspaceId: string, networks: readonly Network[], how: Parameters<typeof mayUse>[2]) => {
      await mayUse(workspaceId, networks, how);
      const paidPosts = networks.filter(({ paidPerPost }) => paidPerPost).length;
      await store.addUsage(workspaceId, month(), { scheduled: how.scheduled ? 1 : 0, paidPosts });
    },

    /** Taken back before it went out. */
    giveBack: async (workspaceId: string, networks: readonly Network[]) => {
      const paidPosts = networks.filter(({ paidPerPost }) => paidPerPost).length;
      await store.addUsage(workspaceId, month(), { scheduled: -1, paidPosts: -paidPosts });
    },

    read: async (workspaceId: string) => {
      const key = await store.plan(workspaceId);
      if (key === undefined) throw notFound('workspace', workspaceId);
      const plan: Plan = isPlan(key) ? plans[key] : plans.unlimited;
      return { key, ...plan, used: await store.usage(workspaceId, month()) };
    },

    mustExist: (key: string) => {
      if (isPlan(key)) return;
      throw new Refusal('BadInput', `There is no plan ${key}. Choose ${Object.keys(plans).join(', ')}.`);
    },

    /** Months before the last one. */
    purge: () => store.purge(month()),
  };
};

const isPlan = (key: string | undefined): key is PlanKey => key !== undefined && key in plans;

const isOver = (count: number, limit: number | null) => limit !== null && count > limit;

/** SPEC, PlanLimit: says which, and what lifts it. */
const planLimit = (plan: Plan, which: string, lifts: (plan: Plan) => boolean, otherwise?: string) => {
  const better = Object.values(plans).filter((one) => one.name !== plans.unlimited.name && lifts(one));
  const names = (better.length > 0 ? better : [plans.unlimited]).map(({ name }) => name).join(' or ');
  const what = [`the plan ${names}`, ...(otherwise ? [otherwise] : [])].join(', or ');
  return new Refusal(
    'PlanLimit',
    `The ${plan.name} plan of this workspace does not cover this: ${which}. What lifts it: ${what}.`,
  );
};
