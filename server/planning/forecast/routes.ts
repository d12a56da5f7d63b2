import { type ForecastRoutes, forecastDays } from '#contracts/forecast';
import { instantOf } from '#contracts/instant';
import { dayMs } from '#contracts/time';
import type { Clock } from '#server/base/clock';
import type { RouteHandlers } from '#server/base/context';
import { dayIn } from '#server/delivery/analytics/time-zone';
import type { Overview } from '#server/writing/posts/overview';
import type { Reading } from '#server/writing/posts/reading';
import type { Forecast } from './forecast.ts';

const mostPosts = 20;
const mostLater = 5;
const lastInstant = '9999-12-31T00:00:00Z';

export const forecastRoutes = ({
  forecast,
  reading,
  overview,
  clock,
}: {
  forecast: Forecast;
  reading: Reading;
  overview: Overview;
  clock: Clock;
}): RouteHandlers<ForecastRoutes> => {
  const isZone = (name: string) => {
    try {
      return Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
    } catch {
      return false;
    }
  };

  return {
    getForecast: async ({ caller, query }) => {
      const { workspaceId } = caller;
      const timeZone = isZone(query.timeZone) ? query.timeZone : 'UTC';
      const now = clock.now();
      const dates = Array.from({ length: forecastDays }, (_, n) =>
        dayIn(new Date(now.getTime() + n * dayMs).toISOString(), timeZone),
      );
      const end = instantOf(new Date(now.getTime() + forecastDays * dayMs));
      const counted = await reading.countScheduledDays(workspaceId, timeZone, end);
      const find = async (from: string, to: string, limit: number) => {
        const ids = await reading.foreseen(workspaceId, { from, to, limit });
        if (ids.length === 0) return [];
        const search = {
          group: 'Scheduled' as const,
          query: '',
          accountIds: [],
          labelIds: [],
          ids,
          from: null,
          to: null,
        };
        const { posts } = await overview.search(caller, search, undefined);
        return ids.flatMap((id) => posts.find((post) => post.id === id) ?? []);
      };
      const checkedAt = await forecast.checkedAt(workspaceId);
      return {
        planned: counted.reduce((sum, { planned }) => sum + planned, 0),
        blocked: counted.reduce((sum, { blocked }) => sum + blocked, 0),
        days: dates.map((date) => counted.find((day) => day.date === date) ?? { date, planned: 0, blocked: 0 }),
        posts: await find('1970-01-01T00:00:00Z', end, mostPosts),
        later: await find(end, lastInstant, mostLater),
        unknown: await forecast.withoutEndDate(workspaceId),
        ...(checkedAt !== undefined && { checkedAt }),
      };
    },
  };
};
