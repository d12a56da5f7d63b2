import { z } from 'zod';
import { appRoute, type Route } from './define.ts';
import { everyone } from './scopes.ts';

const Limit = z.int().nullable();
export const PlanRecord = z
  .object({
    key: z.string().describe('unlimited, free, team or business; the operator sets it'),
    name: z.string().describe('Name for humans'),
    paidNetworks: z.boolean().describe('Whether networks that charge for every post are part of it'),
    accounts: Limit.describe('Connected accounts; null is without limit'),
    scheduledPerMonth: Limit.describe('Posts scheduled in a month; null is without limit'),
    paidPostsPerMonth: Limit.describe(
      'Posts in a month on networks that charge for every post, counted by account; null is without limit',
    ),
    webhooks: z.int().describe('Webhooks that get deliveries; the newest beyond that get none'),
    members: Limit.describe('People in the workspace; null is without limit'),
    used: z
      .object({
        scheduled: z.int().describe('Of scheduledPerMonth'),
        paidPosts: z.int().describe('Of paidPostsPerMonth'),
      })
      .describe('Since the month began (UTC)'),
  })
  .meta({ id: 'Plan', description: 'What the workspace may do, and what it has used of it' });

export const planRoutes = {
  getPlan: appRoute({
    method: 'GET',
    path: '/api/app/plan',
    tag: 'Workspaces',
    summary: 'Read the plan',
    description: 'What the open workspace may do, and what it has used of it this month.',
    roles: everyone,
    answer: PlanRecord,
  }),
} as const satisfies Record<string, Route>;
export type PlanRoutes = typeof planRoutes;
