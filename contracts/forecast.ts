import { z } from 'zod';
import { appRoute, CanonicalInstant, type Route } from './define.ts';
import { PostSummary } from './posts.ts';
import { ProviderName } from './providers.ts';
import { everyone } from './scopes.ts';

/** How far ahead posts are looked at. Later ones only for clock changes and the deletion of the workspace. */
export const forecastDays = 30;

export const ForecastOverview = z
  .object({
    planned: z.int().describe('Posts scheduled for the next 30 days'),
    blocked: z.int().describe('Of these, posts that do not reach all their accounts as things stand'),
    days: z
      .array(
        z.object({
          date: z.string().describe('Local date, such as 2026-11-17'),
          planned: z.int().describe('Posts scheduled for this day'),
          blocked: z.int().describe('Of these, posts that do not reach all their accounts as things stand'),
        }),
      )
      .describe('30 days, today first'),
    posts: z
      .array(PostSummary)
      .describe('Posts of these days about which something is foreseen, the blocked first, then by time; at most 20'),
    later: z.array(PostSummary).describe('Later posts about which something is certain, by time; at most 5'),
    unknown: z
      .array(ProviderName)
      .describe(
        'Networks of planned posts that give no end date for a sign-in; their accounts are looked at every day',
      ),
    checkedAt: CanonicalInstant.optional().describe('When all posts were last looked at; absent before the first time'),
  })
  .meta({ id: 'ForecastOverview', description: 'What is planned for the next 30 days, and what will not go out' });
export type ForecastOverview = z.output<typeof ForecastOverview>;

export const forecastRoutes = {
  getForecast: appRoute({
    method: 'GET',
    path: '/api/app/forecast',
    tag: 'posts',
    summary: 'Read the forecast',
    description:
      'Scheduled posts of the next 30 days by day, those that will not go out as things stand, and why. Kept current with every change, and looked at again once a day.',
    roles: everyone,
    query: z.strictObject({
      timeZone: z.string().max(100).default('UTC').describe('IANA name of the zone of the days; unknown is UTC'),
    }),
    answer: ForecastOverview,
  }),
} as const satisfies Record<string, Route>;
export type ForecastRoutes = typeof forecastRoutes;
