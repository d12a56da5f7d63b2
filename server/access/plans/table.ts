/** What a workspace may do on each plan. `null` is without limit. The operator sets a workspace's plan. */
export interface Plan {
  readonly name: string;
  /** Networks that charge for every post. */
  readonly paidNetworks: boolean;
  readonly accounts: number | null;
  readonly scheduledPerMonth: number | null;
  /** Posts on networks that charge for every post. */
  readonly paidPostsPerMonth: number | null;
  readonly webhooks: number;
  readonly members: number | null;
}

export const plans = {
  unlimited: {
    name: 'Unlimited',
    paidNetworks: true,
    accounts: null,
    scheduledPerMonth: null,
    paidPostsPerMonth: null,
    webhooks: 10,
    members: null,
  },
  free: {
    name: 'Free',
    paidNetworks: false,
    accounts: 3,
    scheduledPerMonth: 30,
    paidPostsPerMonth: 0,
    webhooks: 10,
    members: 2,
  },
  team: {
    name: 'Team',
    paidNetworks: true,
    accounts: 15,
    scheduledPerMonth: 500,
    paidPostsPerMonth: 100,
    webhooks: 10,
    members: 10,
  },
  business: {
    name: 'Business',
    paidNetworks: true,
    accounts: 100,
    scheduledPerMonth: 5_000,
    paidPostsPerMonth: 1_000,
    webhooks: 10,
    members: 50,
  },
} as const satisfies Record<string, Plan>;

export type PlanKey = keyof typeof plans;
