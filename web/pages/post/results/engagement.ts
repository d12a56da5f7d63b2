import { hourMs } from '#contracts/time';
import type { Account, MetricsEntry } from '#generated/app-client';

const engagementNames = ['likes', 'comments', 'shares', 'quotes', 'saves'] as const;

/** Views, reach and clicks are not engagement. */
export const engagementOf = (read: Partial<Record<(typeof engagementNames)[number], number>>) =>
  engagementNames.reduce((total, name) => total + (read[name] ?? 0), 0);

interface Source {
  account: Pick<Account, 'statistics'> | undefined;
  entry: Pick<MetricsEntry, 'publishedAt' | 'metrics'> | undefined;
}

/** Undefined where nothing was read. */
export const readEngagement = ({ account, entry }: Source): number | undefined =>
  entry?.metrics === undefined || (account && account.statistics !== 'Ok') ? undefined : engagementOf(entry.metrics);

/** Total engagement of the accounts with statistics, from the first publication to the last read. */
export const totalEngagement = (sources: readonly Source[]) => {
  const reads = sources.flatMap((source) => {
    const engagement = readEngagement(source);
    const { publishedAt = '', metrics } = source.entry ?? {};
    return engagement === undefined || metrics === undefined
      ? []
      : [{ engagement, from: publishedAt, to: metrics.fetchedAt }];
  });
  const from = reads.map((read) => read.from).sort()[0];
  const readAt = reads
    .map(({ to }) => to)
    .sort()
    .at(-1);
  if (from === undefined || readAt === undefined) return undefined;
  return {
    engagement: reads.reduce((sum, read) => sum + read.engagement, 0),
    hours: Math.max(1, Math.round((Date.parse(readAt) - Date.parse(from)) / hourMs)),
    readAt,
  };
};
