import { describe, expect, test } from 'vitest';
import { arrangeDay, cellSizes, entriesInCell, minCellHeight } from '#web/pages/calendar/arrange-day.ts';
import { foldHours, nameRun, offsetOf, openHours } from '#web/pages/calendar/fold-hours.ts';
import { neighbourOf } from '#web/pages/calendar/neighbour-of.ts';

const at = (hour: number, hours = 1) => ({ from: hour * 60, to: (hour + hours) * 60 });
const folded = (busy: Parameters<typeof foldHours>[0], opened?: Set<number>) =>
  foldHours(busy, opened)
    .filter(({ isFolded }) => isFolded)
    .map(nameRun);

describe('the hours of a week', () => {
  test('fold where nothing is planned for four hours or more, and not for three', () => {
    expect(folded([at(6), at(10), at(15), at(20)])).toEqual(['00:00 – 06:00', '11:00 – 15:00', '16:00 – 20:00']);
    expect(folded([at(3), at(7), at(11, 13)])).toEqual([]);
  });

  test('stay open as long as a card covers them', () => {
    expect(folded([{ from: 9 * 60 + 30, to: 9 * 60 + 135 }])).toEqual(['00:00 – 09:00', '12:00 – 24:00']);
  });

  test('of a week without a post fold at night alone', () => {
    expect(folded([])).toEqual(['00:00 – 06:00']);
  });

  test('that a person opened stay apart, so that they can be folded again', () => {
    const runs = foldHours([at(6), at(12)], new Set([7]));
    expect(runs).toEqual([
      { from: 0, to: 6, isFolded: true },
      { from: 6, to: 7, isFolded: false },
      { from: 7, to: 12, isFolded: false },
      { from: 12, to: 13, isFolded: false },
      { from: 13, to: 24, isFolded: true },
    ]);
    expect(openHours(runs)).toEqual([6, 7, 8, 9, 10, 11, 12]);
  });

  test('give each minute its place: a share of a band, then full hours', () => {
    const runs = foldHours([at(6), at(7)]);
    expect(offsetOf(runs, 0)).toEqual({ hours: 0, bands: 0 });
    expect(offsetOf(runs, 3 * 60)).toEqual({ hours: 0, bands: 0.5 });
    expect(offsetOf(runs, 6 * 60 + 30)).toEqual({ hours: 0.5, bands: 1 });
    expect(offsetOf(runs, 24 * 60)).toEqual({ hours: 2, bands: 2 });
  });
});

describe('posts of a day', () => {
  const timed = (minutes: number, all: number[]) => all.map((minute) => ({ minute, minutes }));
  const lanes = (posts: number[], mostAtOnce = 3, besideCrowd = 1, spots: number[] = []) =>
    arrangeDay(timed(105, posts), timed(50, spots), mostAtOnce, besideCrowd).map(({ entry, lane, lanes }) =>
      'rest' in entry ? `+${entry.rest.length} ${lane}/${lanes}` : `${entry.minute} ${lane}/${lanes}`,
    );

  test('share the width with what they would cover, and take all of it elsewhere', () => {
    expect(lanes([480, 480, 700])).toEqual(['480 0/2', '480 1/2', '700 0/1']);
    expect(lanes([480, 540, 600])).toEqual(['480 0/2', '540 1/2', '600 0/2']);
  });

  test('late in the evening share the width with what they would cover above midnight', () => {
    expect(lanes([1280, 1400])).toEqual(['1280 0/2', '1400 1/2']);
    expect(lanes([1200, 1400])).toEqual(['1200 0/1', '1400 0/1']);
  });

  test('are one card and +3 when there are four at one time, three on a narrow page', () => {
    expect(lanes([480, 481, 482])).toEqual(['480 0/3', '481 1/3', '482 2/3']);
    expect(lanes([480, 481, 482, 483])).toEqual(['480 0/2', '+3 1/2']);
    expect(lanes([480, 481, 482], 2)).toEqual(['480 0/2', '+2 1/2']);
  });

  test('are cards that can be read in the view of the day, and the rest as a number', () => {
    expect(lanes([480, 481, 482, 483], 4, 3)).toEqual(['480 0/4', '481 1/4', '482 2/4', '483 3/4']);
    expect(lanes([480, 481, 482, 483, 484], 4, 3)).toEqual(['480 0/4', '481 1/4', '482 2/4', '+2 3/4']);
  });

  test('that overlap one after the other never share the width with more than that', () => {
    expect(lanes([450, 480, 560, 560], 2)).toEqual(['450 0/2', '480 1/2', '+2 0/2']);
    expect(lanes([450, 480, 560, 561, 562], 2)).toEqual(['450 0/2', '480 1/2', '+3 0/2']);
  });

  test('share the width with a free slot that they would cover', () => {
    const withSpots = (posts: number[], ...spots: number[]) => lanes(posts, 3, 1, spots);
    expect(withSpots([480], 540)).toEqual(['480 0/2', '540 1/2']);
    expect(withSpots([480], 440)).toEqual(['440 0/2', '480 1/2']);
    expect(withSpots([480], 430, 585)).toEqual(['430 0/1', '480 0/1', '585 0/1']);
    expect(withSpots([1300], 1439)).toEqual(['1300 0/2', '1439 1/2']);
    expect(withSpots([480, 480], 540, 541)).toEqual(['480 0/3', '480 1/3', '540 2/3']);
  });

  test('are all shown where a free slot has no room beside them', () => {
    expect(lanes([480, 500], 2, 1, [540])).toEqual(['480 0/2', '500 1/2']);
    expect(lanes([480, 560], 2, 1, [470])).toEqual(['470 0/2', '480 1/2', '560 0/2']);
    expect(lanes([480, 481, 482, 483], 3, 1, [540])).toEqual(['480 0/3', '+3 1/3', '540 2/3']);
  });

  test('in a month: two and the rest as a number, three if they fit', () => {
    expect(entriesInCell(2, minCellHeight)).toBe(2);
    expect(entriesInCell(3, minCellHeight)).toBe(2);
    expect(entriesInCell(4, minCellHeight)).toBe(2);
    const forThree = cellSizes.head + 3 * cellSizes.entry;
    expect(entriesInCell(3, forThree)).toBe(3);
    expect(entriesInCell(4, forThree)).toBe(2);
    expect(entriesInCell(9, forThree + cellSizes.more)).toBe(3);
  });
});

test('arrow keys stay in the day, or go to the next day with a post, at the nearest time', () => {
  const walls = ['2026-11-16 08:00:00', '2026-11-16 18:00:00', '2026-11-18 09:00:00', '2026-11-18 17:00:00'];
  expect(neighbourOf(walls, 0, 'ArrowDown')).toBe(1);
  expect(neighbourOf(walls, 0, 'ArrowUp')).toBeUndefined();
  expect(neighbourOf(walls, 1, 'ArrowDown')).toBeUndefined();
  expect(neighbourOf(walls, 1, 'ArrowRight')).toBe(3);
  expect(neighbourOf(walls, 2, 'ArrowLeft')).toBe(0);
  expect(neighbourOf(walls, 2, 'ArrowRight')).toBeUndefined();
  expect(neighbourOf(walls, 2, 'x')).toBeUndefined();
});
