import type { MetricName } from '#contracts/analytics';
import { hourMs } from '#contracts/time';
import { sha256 } from '#server/base/sha256';

/** Fraction of the viewers who do this. */
const shares: Readonly<Record<Exclude<MetricName, 'views' | 'reach'>, number>> = {
  likes: 0.06,
  comments: 0.012,
  shares: 0.009,
  quotes: 0.003,
  saves: 0.008,
  clicks: 0.02,
};

/** Metrics of a post at this age: deterministic by seed, and never decreasing. */
export const numbersOf = (seed: string, ageMs: number): Record<MetricName, number> => {
  const dice = sha256(seed);
  const popularity = 150 + (dice.readUInt16BE(0) % 4000);
  const grown = 1 - Math.exp(-Math.max(ageMs, 0) / (20 * hourMs));
  const views = Math.floor(popularity * grown);
  const others = Object.entries(shares).map(([name, share], index) => {
    const luck = 0.5 + (dice[index + 2] ?? 0) / 255;
    return [name, Math.floor(views * share * luck)] as const;
  });
  return { views, reach: Math.floor(views * 0.8), ...Object.fromEntries(others) } as Record<MetricName, number>;
};
