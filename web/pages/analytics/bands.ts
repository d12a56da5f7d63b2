import { weekdays } from './format-dates.ts';

/** Two hours of a weekday. */
export interface Band {
  weekday: number;
  /** First hour, even. */
  hour: number;
  posts: number;
  engagement: number;
  average: number;
  lowConfidence: boolean;
}

const bandHours = 2;
/** The number of posts from which the server also trusts an hour. */
const confidentPosts = 3;
const [defaultFirst, defaultLast] = [6, 20];

/** Merges the hours of `bestTimes`. */
export const bandsOf = (
  times: readonly { weekday: number; hour: number; posts: number; engagement: number }[],
): Band[] => {
  const bands = new Map<string, Band>();
  for (const { weekday, hour, posts, engagement } of times) {
    const key = { weekday, hour: hour - (hour % bandHours) };
    const sum = bands.get(nameBand(key)) ?? { posts: 0, engagement: 0 };
    const total = { posts: sum.posts + posts, engagement: sum.engagement + engagement };
    const average = total.engagement / total.posts;
    bands.set(nameBand(key), { ...key, ...total, average, lowConfidence: total.posts < confidentPosts });
  }
  return [...bands.values()];
};

/** Eight columns, 06 to 22, shifted just enough to include every band. More columns only if the bands need them. */
export const columnsOf = (bands: readonly Band[]): number[] => {
  const hours = bands.map(({ hour }) => hour);
  const [first, last] = [Math.min(defaultFirst, ...hours), Math.max(defaultLast, ...hours)];
  const from = first < defaultFirst ? first : Math.min(...hours, last - defaultLast + defaultFirst);
  const to = first < defaultFirst ? Math.max(...hours, first + defaultLast - defaultFirst) : last;
  return Array.from({ length: (to - from) / bandHours + 1 }, (_, index) => from + index * bandHours);
};

/** Hours that the columns leave out, all without numbers: `22:00 – 06:00`. */
export const omittedHours = (columns: readonly number[]): string | undefined => {
  const [first = 0, end = 24] = [columns[0], (columns.at(-1) ?? 22) + bandHours];
  if (end - first >= 24) return undefined;
  const clock = (hour: number) => `${String(hour % 24).padStart(2, '0')}:00`;
  return `${clock(end)} – ${clock(first)}`;
};

const pad = (hour: number) => String(hour).padStart(2, '0');

/** `18–20` */
export const nameHours = ({ hour }: Pick<Band, 'hour'>) => `${pad(hour)}–${pad(hour + bandHours)}`;

/** `Mon 18–20` */
export const nameBand = (band: Pick<Band, 'weekday' | 'hour'>) => `${weekdays[band.weekday - 1]} ${nameHours(band)}`;

/** The most trustworthy and best first. */
export const rankBands = (bands: readonly Band[]) =>
  bands.toSorted(
    (a, b) => Number(a.lowConfidence) - Number(b.lowConfidence) || b.average - a.average || b.posts - a.posts,
  );
