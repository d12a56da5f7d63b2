import type { Account, GetHistoryOutput, GetProgressOutput, MetricsEntry, Result } from '#generated/app-client';
import type { State } from '#web/parts/state-chip.tsx';

export type Reads = GetHistoryOutput['accounts'][number]['reads'];

/** One account of the post with its result and statistics. */
export interface Target {
  accountId: string;
  /** Undefined after it was disconnected. */
  account: Account | undefined;
  /** Empty if the account is gone and left no statistics. */
  network: string;
  provider: string;
  state: Extract<State, 'Publishing' | 'Published' | 'Failed' | 'Uncertain'>;
  result: Result | undefined;
  /** Set if the network makes this account wait for long; says until when. */
  wait: GetProgressOutput['waits'][number] | undefined;
  /** The latest step of sending it. */
  step: GetProgressOutput['steps'][number] | undefined;
  entry: MetricsEntry | undefined;
  /** Until then, a missing entry does not mean that there are no metrics. */
  areMetricsLoaded: boolean;
  reads: Reads;
}
