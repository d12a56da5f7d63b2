import type { Result } from '#contracts/posts';

/** What operators watch. */
export interface PublishingMetrics {
  /** From the moment a post was due to the call that makes it public. */
  late(ms: number): void;
  inFlight(network: string, count: number): void;
  /** Counts, when asked, the scheduled posts whose time passed more than a minute ago. */
  watchOverdue(count: () => Promise<number>): void;
  ended(network: string, result: Result): void;
}
