import type { Summary } from '#generated/app-client';
import { count } from '#web/parts/number.ts';
import { type Band, bandsOf } from './bands.ts';
import { formatAverage } from './format-dates.ts';

export interface Phrase {
  text: string;
  isStrong?: boolean;
}

/** Below this a difference may be chance. */
const clearlyBetter = 1.2;
const enoughPosts = 3;

const dayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const numberWords = ['three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

const partOfDay = (hour: number) => {
  if (hour < 6) return 'nights';
  if (hour < 12) return 'mornings';
  if (hour < 18) return 'afternoons';
  return hour < 22 ? 'evenings' : 'nights';
};

/**
 * The page in one sentence: the total, and the best time if that claim holds. `isRead`: a number was read from at least
 * one account.
 */
export const sentenceOf = (
  { totals, bestTimes }: Pick<Summary, 'totals' | 'bestTimes'>,
  { words, isRead }: { words: string; isRead: boolean },
): Phrase[] => {
  const posts = count(totals.posts, 'post');
  if (!isRead) return [{ text: `${posts} went out ${words}. No numbers have been read yet.` }];
  const engagements = `${totals.engagement.toLocaleString('en-GB')} ${totals.engagement === 1 ? 'engagement' : 'engagements'}`;
  const total: Phrase[] = [
    { text: `${posts} brought ` },
    { text: engagements, isStrong: true },
    { text: ` ${words}.` },
  ];
  const claim = bestBand(bandsOf(bestTimes));
  if (claim === undefined) return total;
  const { band, others } = claim;
  const howMany = numberWords[band.posts - enoughPosts] ?? String(band.posts);
  const clock = (hour: number) => `${String(hour % 24).padStart(2, '0')}:00`;
  return [
    ...total,
    { text: ' ' },
    { text: `${dayNames[band.weekday - 1]} ${partOfDay(band.hour)}`, isStrong: true },
    {
      text: ` did best: ${howMany} posts between ${clock(band.hour)} and ${clock(band.hour + 2)} brought ${formatAverage(band)} each, the others ${formatAverage({ average: others })}.`,
    },
  ];
};

/**
 * The best two hours of the week. The claim needs three posts then, three at other times, no other trusted time as good,
 * and a clear difference.
 */
export const bestBand = (bands: readonly Band[]): { band: Band; others: number } | undefined => {
  const trusted = bands.filter(({ posts }) => posts >= enoughPosts).toSorted((a, b) => b.average - a.average);
  const [band, next] = trusted;
  if (band === undefined || band.average === 0 || next?.average === band.average) return undefined;
  const rest = bands.filter((one) => one !== band);
  const sum = (name: 'posts' | 'engagement') => rest.reduce((total, one) => total + one[name], 0);
  if (sum('posts') < enoughPosts) return undefined;
  const others = sum('engagement') / sum('posts');
  return band.average >= others * clearlyBetter ? { band, others } : undefined;
};
