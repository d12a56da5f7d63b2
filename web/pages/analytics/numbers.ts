import type { Coverage, GetSeriesOutput, ListBestOfDaysOutput, Summary } from '#generated/app-client';
import type { Range } from './use-range.ts';

export type DayPost = ListBestOfDaysOutput['posts'][number];

export interface Numbers {
  range: Range;
  summary: Summary;
  before: Summary;
  days: GetSeriesOutput['days'];
  daysBefore: GetSeriesOutput['days'];
  coverage: Coverage;
  coverageBefore: Coverage;
  /** The best of each day; empty for long ranges, which have no room for them. */
  posts: readonly DayPost[];
}
