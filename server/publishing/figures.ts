import type { Result } from '#contracts/posts';

/** What operators watch. */
export interface PublishingFigures {
  /** From the moment a post was due to the call that makes it public. */
  late(ms: number): void;
  inFlight(network: string, count: number): void;
  ended(network: string, result: Result): void;
}
