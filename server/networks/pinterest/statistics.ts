import { z } from 'zod';
import { dayMs } from '#contracts/time';
import type { MetricsRead, NetworkAccount, PublishedPost, Site } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { numbersNamed, reported } from '#server/networks/shared/metrics';
import { ask } from './api.ts';

const oldestDays = 90;

const Read = z.object({
  all: z.object({
    summary_metrics: numbersNamed(['IMPRESSION', 'SAVE', 'PIN_CLICK', 'OUTBOUND_CLICK'], z.number()),
  }),
});

export const readMetrics = async (
  site: Site,
  account: NetworkAccount,
  posts: readonly PublishedPost[],
): Promise<MetricsRead[]> => {
  const readings: MetricsRead[] = [];
  for (const post of posts) readings.push(await read(site, account, post));
  return readings;
};

/** Totals since the day of publication. */
const read = async (
  site: Site,
  account: NetworkAccount,
  { externalId, publishedAt }: PublishedPost,
): Promise<MetricsRead> => {
  const now = site.now();
  if (now.getTime() - Date.parse(publishedAt) >= oldestDays * dayMs) {
    return { is: 'over', why: `Pinterest has numbers only of the last ${oldestDays} days.` };
  }
  const answer = await ask(site, account, {
    path: `/pins/${externalId}/analytics`,
    query: {
      start_date: dateOf(new Date(publishedAt)),
      end_date: dateOf(now),
      metric_types: 'IMPRESSION,PIN_CLICK,OUTBOUND_CLICK,SAVE',
      app_types: 'ALL',
    },
    accepted: 404,
  });
  if (answer.status === 404) return { is: 'absent', why: 'The pin is no longer on Pinterest.' };
  const { IMPRESSION, SAVE, PIN_CLICK, OUTBOUND_CLICK } = shaped(Read, answer).all.summary_metrics;
  const clicks = [PIN_CLICK, OUTBOUND_CLICK].filter((one) => one !== undefined);
  return {
    is: 'numbers',
    metrics: reported({
      views: IMPRESSION,
      saves: SAVE,
      clicks: clicks.length > 0 ? clicks.reduce((sum, one) => sum + one) : undefined,
    }),
  };
};

const dateOf = (instant: Date) => instant.toISOString().slice(0, 10);
