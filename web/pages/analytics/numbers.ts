import type { Coverage, GetSeriesOutput, ListBestOfDaysOutput, Summary } from '#generated/app-client';

export type DayPost = ListBestOfDaysOutput['posts'][number];

export interface Numbers {
  summary: Summary;
  before: Summary;
  days: GetSeriesOutput['days'];
  daysBefore: GetSeriesOutput['days'];
  coverage: Coverage;
  coverageBefore: Coverage;
  /** The best of each day; empty for long ranges, which have no room for them. */
  posts: readonly DayPost[];
}
