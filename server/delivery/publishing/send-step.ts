import type { SendStep } from '#contracts/posts';
import { hasEnded } from './progress.ts';
import type { SendState } from './publish-control-store.ts';
import { endedStepOf } from './result.ts';

const pauses: readonly SendStep['step'][] = ['Processing', 'Retrying', 'Confirming'];

/**
 * The row decides whether a send has ended or is paused, because a reported step may be lost. While a send is running,
 * the reported step says more than the row.
 */
export const stepOf = (state: SendState, reported: SendStep | undefined): SendStep => {
  const { accountId, startedAt, dueAt, result } = state;
  const latest = reported?.startedAt === startedAt ? reported : undefined;
  if (result !== null) {
    return {
      accountId,
      startedAt,
      step: endedStepOf(result),
      ...(latest?.elapsedMs !== undefined && { elapsedMs: latest.elapsedMs }),
    };
  }
  if (state.isPaused && dueAt !== null) {
    const step = latest && pauses.includes(latest.step) ? latest.step : pauseOf(state);
    return { accountId, startedAt, step, at: dueAt };
  }
  if (latest && !hasEnded(latest)) return latest;
  return { accountId, startedAt, step: state.isBegun ? 'Sending' : 'Queued' };
};

/** Without a report, a lost answer and a network that is still processing look the same. */
const pauseOf = ({ isBegun, isPrepared, isRetry }: SendState): SendStep['step'] => {
  if (isBegun || (isPrepared && !isRetry)) return 'Processing';
  return isRetry || isPrepared ? 'Retrying' : 'Queued';
};
