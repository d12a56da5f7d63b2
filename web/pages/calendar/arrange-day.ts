/** Something with a place in a day, in minutes. */
export interface Timed {
  minute: number;
  /** How much time its height covers. */
  minutes: number;
}

export interface Placed<Entry> {
  entry: Entry;
  lane: number;
  /** Lanes that share the width. */
  lanes: number;
}

export interface Crowd<Entry> extends Timed {
  /** Entries that do not fit beside the first. */
  rest: readonly Entry[];
}

/**
 * Entries that would overlap share the width. If more than `mostAtOnce` posts overlap, the first `besideCrowd` stay
 * cards and the others become a crowd. Posts come first: a spot without room beside them is left out. `posts` and
 * `spots` are sorted by time.
 */
export const arrangeDay = <Entry extends Timed>(
  posts: readonly Entry[],
  spots: readonly Entry[],
  mostAtOnce: number,
  besideCrowd = 1,
): Placed<Entry | Crowd<Entry>>[] => {
  const shown: (Entry | Crowd<Entry>)[] = [];
  let left = posts;
  for (let [first] = left; first !== undefined; [first] = left) {
    const end = endOf(first);
    const together = left.filter((entry) => startOf(entry) < end);
    left = left.slice(together.length);
    if (together.length <= mostAtOnce) shown.push(...together);
    else {
      const { minute, minutes } = first;
      shown.push(...together.slice(0, besideCrowd), { minute, minutes, rest: together.slice(besideCrowd) });
    }
  }
  for (const spot of spots) {
    const beside = shown.filter((entry) => startOf(entry) < endOf(spot) && startOf(spot) < endOf(entry));
    const before = shown.findLastIndex((entry) => startOf(entry) <= startOf(spot));
    if (beside.length < mostAtOnce) shown.splice(before + 1, 0, spot);
  }
  return toLanes(shown, mostAtOnce);
};

/** A card late in the evening is drawn higher, since nothing is drawn below midnight. */
const startOf = ({ minute, minutes }: Timed) => Math.min(minute, 24 * 60 - minutes);
const endOf = (entry: Timed) => startOf(entry) + entry.minutes;

/**
 * Each entry takes the first lane that is free; all entries of an unbroken group share the width equally. Without a free
 * lane it joins the entry before it in a crowd.
 */
const toLanes = <Entry extends Timed>(
  entries: readonly (Entry | Crowd<Entry>)[],
  mostAtOnce: number,
): Placed<Entry | Crowd<Entry>>[] => {
  const placed: Placed<Entry | Crowd<Entry>>[] = [];
  let group: typeof placed = [];
  let ends: number[] = [];
  const close = () => {
    for (const one of group) one.lanes = ends.length;
    placed.push(...group);
    [group, ends] = [[], []];
  };
  for (const entry of entries) {
    const start = startOf(entry);
    if (ends.every((end) => end <= start)) close();
    const free = ends.findIndex((end) => end <= start);
    const last = group.at(-1);
    if (free < 0 && last && ends.length >= mostAtOnce) {
      const { minute, minutes } = last.entry;
      last.entry = { minute, minutes, rest: [last.entry, entry].flatMap(postsOf) };
      continue;
    }
    const lane = free < 0 ? ends.length : free;
    ends[lane] = endOf(entry);
    group.push({ entry, lane, lanes: 1 });
  }
  close();
  return placed;
};

const postsOf = <Entry extends Timed>(entry: Entry | Crowd<Entry>): readonly Entry[] =>
  'rest' in entry ? entry.rest : [entry];

/**
 * How many of a day's entries a month cell shows: all if they fit, else as many as fit above the line `2 more`, and two
 * in the smallest cell. Sizes are in rem.
 */
export const entriesInCell = (count: number, height: number) => {
  const room = height - cellSizes.head;
  if (count * cellSizes.entry <= room || count <= 2) return count;
  return Math.max(2, Math.floor((room - cellSizes.more) / cellSizes.entry));
};

/** In rem: the line of the date, an entry of 38 px with its gap, the button `2 more`. */
export const cellSizes = { head: 1.625, entry: 2.5625, more: 1.5 };
export const minCellHeight = cellSizes.head + 2 * cellSizes.entry + cellSizes.more;
