import type { MetricName } from '#contracts/analytics';
import type { MetricsRead, NetworkAccount, PublishedPost, Site } from '#server/networks/network';
import type { NetworkAnswer } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask } from './api.ts';

/** One at a time: servers before 4.3 report on a single post per request. */
export const readEach = async (
  site: Site,
  account: NetworkAccount,
  posts: readonly PublishedPost[],
  metricsOf: (status: NetworkAnswer) => Partial<Record<MetricName, number>>,
): Promise<MetricsRead[]> => {
  const readings: MetricsRead[] = [];
  for (const { externalId } of posts) {
    try {
      const status = await ask(site, account, { path: `/api/v1/statuses/${externalId}` });
      readings.push({ is: 'numbers', metrics: metricsOf(status) });
    } catch (error) {
      if (!isGone(error)) throw error;
      readings.push({ is: 'absent', why: 'The post is no longer on the server.' });
    }
  }
  return readings;
};

const isGone = (error: unknown) =>
  error instanceof NetworkTrouble && (error.networkCode === '404' || error.networkCode === '410');
