import type { Result } from '#contracts/posts';

export interface PublishingMetrics {
  /** From the moment a post was due to the call that makes it public. */
  late(ms: number): void;
  inFlight(network: string, count: number): void;
  /** `count` runs at every scrape: scheduled posts that are more than a minute overdue. */
  watchOverdue(count: () => Promise<number>): void;
  ended(network: string, result: Result): void;
}
