import type { Clock } from '#server/base/clock';
import { notFound, Refusal } from '#server/base/errors';
import type { Network } from '#server/networks/network';
import type { PlanStore, Usage } from './store.ts';
import { type Plan, type PlanKey, plans } from './table.ts';

export type Plans = ReturnType<typeof createPlans>;

/** What a post used of the plan. It can be given back in the same month. */
export interface PlanUse extends Usage {
  readonly month: string;
}

/** Enforces plan limits for every entry point. */
export const createPlans = ({ store, clock }: { store: PlanStore; clock: Clock }) => {
  /** Locked, so that two concurrent changes cannot both take the last place. */
  const planOf = async (workspaceId: string): Promise<Plan> => planNamed(await store.lockPlan(workspaceId));
  const month = () => clock.now().toISOString().slice(0, 7);

  const mayUseNetworks = (plan: Plan, networks: readonly Network[]) => {
    const uncovered = plan.paidNetworks ? undefined : networks.find(({ paidPerPost }) => paidPerPost);
    if (uncovered) throw planLimit(plan, `${uncovered.name} is not part of it`, ({ paidNetworks }) => paidNetworks);
  };

  /** Refuses what the plan does not cover, else adds it to the usage of this month. */
  const use = async (workspaceId: string, networks: readonly Network[], more: Usage): Promise<PlanUse> => {
    const plan = await planOf(workspaceId);
    mayUseNetworks(plan, networks);
    const used = await store.usage(workspaceId, month());
    if (more.scheduled > 0 && isOver(used.scheduled + more.scheduled, plan.scheduledPerMonth)) {
      throw planLimit(
        plan,
        `the ${plan.scheduledPerMonth} scheduled posts of this month are used up`,
        ({ scheduledPerMonth }) => !isOver(used.scheduled + more.scheduled, scheduledPerMonth),
        'the next month',
      );
    }
    if (more.paidPosts > 0 && isOver(used.paidPosts + more.paidPosts, plan.paidPostsPerMonth)) {
      const { name } = networks.find(({ paidPerPost }) => paidPerPost) ?? {};
      throw planLimit(
        plan,
        `the ${plan.paidPostsPerMonth} posts of this month on ${name} are used up`,
        ({ paidPostsPerMonth }) => !isOver(used.paidPosts + more.paidPosts, paidPostsPerMonth),
        'the next month',
      );
    }
    await store.addUsage(workspaceId, month(), more);
    return { month: month(), ...more };
  };

  /** Usage of an earlier month cannot be given back. */
  const ofThisMonth = (counted: PlanUse | undefined): Usage =>
    counted?.month === month() ? counted : { scheduled: 0, paidPosts: 0 };

  /** One more account on this network. */
  const mayAddAccount = async (workspaceId: string, network: Network, plan: Plan) => {
    mayUseNetworks(plan, [network]);
    const count = await store.accounts(workspaceId);
    if (isOver(count + 1, plan.accounts)) {
      throw planLimit(plan, `it includes ${plan.accounts} accounts`, ({ accounts }) => !isOver(count + 1, accounts));
    }
  };

  return {
    /** Refuses early, before the person goes to the network. `mayConnect` decides. */
    mayBeginToConnect: async (workspaceId: string, network: Network) =>
      mayAddAccount(workspaceId, network, planNamed(await store.plan(workspaceId))),

    mayConnect: async (workspaceId: string, network: Network) =>
      mayAddAccount(workspaceId, network, await planOf(workspaceId)),

    mayJoin: async (workspaceId: string) => {
      const plan = await planOf(workspaceId);
      const count = await store.members(workspaceId);
      if (isOver(count + 1, plan.members)) {
        throw planLimit(plan, `it includes ${plan.members} members`, ({ members }) => !isOver(count + 1, members));
      }
    },

    /** How many webhooks the plan covers. */
    webhooks: (key: string) => planNamed(key).webhooks,

    /**
     * Counts a post that will go to these networks, one entry for each account, or refuses it. Networks in `again` were
     * already counted, so only the plan has to cover them.
     */
    use: (
      workspaceId: string,
      networks: readonly Network[],
      { scheduled, again }: { scheduled: boolean; again: readonly Network[] },
    ) => use(workspaceId, [...networks, ...again], { scheduled: scheduled ? 1 : 0, paidPosts: paidIn(networks) }),

    /** For a scheduled post whose accounts changed after it was counted, perhaps in an earlier month. */
    change: async (
      workspaceId: string,
      counted: PlanUse | undefined,
      before: readonly Network[],
      after: readonly Network[],
      { again }: { again: readonly Network[] },
    ): Promise<PlanUse> => {
      const { scheduled, paidPosts } = ofThisMonth(counted);
      const more = Math.max(paidIn(after) - paidIn(before), -paidPosts);
      const now = await use(workspaceId, [...after, ...again], { scheduled: 0, paidPosts: more });
      return { ...now, scheduled, paidPosts: paidPosts + more };
    },

    /** For a post that is unscheduled or deleted before it was published: gives back what this month counted for it. */
    giveBack: (workspaceId: string, counted: PlanUse | undefined) => {
      const { scheduled, paidPosts } = ofThisMonth(counted);
      return store.addUsage(workspaceId, month(), { scheduled: -scheduled, paidPosts: -paidPosts });
    },

    read: async (workspaceId: string) => {
      const key = await store.plan(workspaceId);
      if (key === undefined) throw notFound('workspace', workspaceId);
      return { key, ...planNamed(key), used: await store.usage(workspaceId, month()) };
    },

    mustExist: (key: string) => {
      if (isPlan(key)) return;
      throw new Refusal('BadInput', `There is no plan ${key}. Choose ${Object.keys(plans).join(', ')}.`);
    },

    purge: () => store.purge(month()),
  };
};

const paidIn = (networks: readonly Network[]) => networks.filter(({ paidPerPost }) => paidPerPost).length;

const isPlan = (key: string | undefined): key is PlanKey => key !== undefined && key in plans;

const planNamed = (key: string | undefined): Plan => (isPlan(key) ? plans[key] : plans.unlimited);

const isOver = (count: number, limit: number | null) => limit !== null && count > limit;

/** SPEC, PlanLimit: the message names the limit and what lifts it. */
const planLimit = (plan: Plan, which: string, lifts: (plan: Plan) => boolean, otherwise?: string) => {
  const better = Object.values(plans).filter((one) => one.name !== plans.unlimited.name && lifts(one));
  const names = (better.length > 0 ? better : [plans.unlimited]).map(({ name }) => name).join(' or ');
  const what = [`the plan ${names}`, ...(otherwise ? [otherwise] : [])].join(', or ');
  return new Refusal(
    'PlanLimit',
    `The ${plan.name} plan of this workspace does not cover this: ${which}. What lifts it: ${what}.`,
  );
};
