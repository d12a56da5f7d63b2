import type { Coverage } from '#generated/app-client';
import { joinWithAnd } from './join-names.ts';

type Reported = Coverage['accounts'][number]['metrics'][number];

const engagementMetrics: readonly Reported[] = ['likes', 'comments', 'shares', 'quotes', 'saves'];

/** Accounts with posts in the range whose network reports this number. */
export const reporting = ({ accounts }: Pick<Coverage, 'accounts'>, metric: 'engagement' | Reported) => {
  const names: readonly Reported[] = metric === 'engagement' ? engagementMetrics : [metric];
  return accounts.filter(({ posts, metrics }) => posts > 0 && metrics.some((name) => names.includes(name)));
};

export const isRead = (coverage: Pick<Coverage, 'accounts'>, metric: 'engagement' | Reported) =>
  reporting(coverage, metric).some(({ readPosts }) => readPosts > 0);

/** Undefined if the number is known; without a post it is 0. */
export const whyUnknown = (coverage: Pick<Coverage, 'accounts'>, metric: 'engagement' | Reported) =>
  isRead(coverage, metric) || coverage.accounts.every(({ posts }) => posts === 0)
    ? undefined
    : reasonFor(reporting(coverage, metric));

/** Why a number cannot be shown. */
export const reasonFor = (accounts: Coverage['accounts']) => {
  if (accounts.length === 0) return 'not reported by these networks';
  if (accounts.some(({ statistics }) => statistics === 'Ok')) return 'nothing read yet';
  const names = namesOf(accounts.filter(({ statistics }) => statistics === 'Reconnect'));
  return names.length > 0 ? `reconnect ${joinWithAnd(names)}` : 'no longer read';
};

export const namesOf = (accounts: Coverage['accounts']) => [...new Set(accounts.map(({ provider }) => provider))];
