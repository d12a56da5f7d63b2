import { joinWithAnd } from '#web/parts/join-names.ts';
import { count } from '#web/parts/number.ts';
import type { Target } from './target.ts';

const accounts = (number: number) => count(number, 'account');

export const summaryOf = (targets: readonly Target[]) => {
  const of = (state: Target['state']) => targets.filter((target) => target.state === state);
  const [published, failed, uncertain, sending] = [
    of('Published').length,
    of('Failed').length,
    of('Uncertain').length,
    of('Publishing'),
  ];
  if (sending.length > 0) {
    const names = joinWithAnd([...new Set(sending.map(({ provider }) => provider))]);
    const still = `${names} ${sending.length === 1 ? 'is' : 'are'} still working.`;
    return published > 0 ? `Published to ${accounts(published)}. ${still}` : still;
  }
  if (failed + uncertain === 0) return `${accounts(published)} ${published === 1 ? 'has' : 'have'} it.`;
  const parts = [
    ...(published > 0 ? [`${accounts(published)} ${published === 1 ? 'has' : 'have'} it`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(uncertain > 0 ? [`${uncertain} could not be confirmed`] : []),
  ];
  return `${parts.join(', ')}.${published > 0 ? ' What worked stays; nothing is sent twice.' : ''}`;
};

/** Accepts only http(s), since networks may return URLs with other schemes. */
export const webAddress = (url: string | undefined) => (url && /^https?:\/\//i.test(url) ? url : undefined);
