import type { AccountTimeStore, LimitedTime, Minute, MinutePost } from './account-time-store.ts';
import type { ForecastRow, ScheduledPost } from './scheduled-post-row.ts';
import type { LeftPost, ScheduledPostStore } from './scheduled-post-store.ts';

export type { ForecastRow, LeftPost, LimitedTime, Minute, MinutePost, ScheduledPost };

export type ScheduledPosts = ReturnType<typeof createScheduledPosts>;

/** Scheduled posts, each with its forecast: what was foretold of it, and what it was judged with. */
export const createScheduledPosts = ({
  store,
  accountTimeStore,
}: {
  store: ScheduledPostStore;
  accountTimeStore: AccountTimeStore;
}) => ({ ...store, ...accountTimeStore });
