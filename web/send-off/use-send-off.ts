import { useRef } from 'react';
import type { Post } from '#generated/app-client';
import type { Target } from '#web/parts/results/target.ts';
import { hasEnded, reachOf, type SendState } from './steps.ts';
import { useResults } from './use-results.ts';

export interface SendOffRow extends Omit<Target, 'state'>, SendState {
  readonly step: Target['step'];
  readonly provider: string;
  /** How much of its line is drawn, from 0 to 1. */
  readonly reach: number;
  /** True when this account has its result; false while the post is still being sent to it. */
  readonly isFinal: boolean;
  readonly target: Target;
}

/**
 * The accounts in the order of the post, each with its progress. Progress comes only from the server, never from a
 * timer.
 */
export const useSendOff = (post: Post) => {
  const { targets, sendAgain, isLoaded } = useResults(post, { withSteps: true });
  // Keyed by account and start time, so that a line never moves back during one send.
  const reached = useRef(new Map<string, number>());
  const rows = post.accountIds.flatMap((accountId): SendOffRow[] => {
    const target = targets.find((one) => one.accountId === accountId);
    if (target === undefined) return [];
    const key = `${accountId} ${target.step?.startedAt}`;
    const state = stateOf(target);
    const before = reached.current.get(key) ?? 0;
    const reach = state === 'Out' ? 1 : Math.max(before, (target.step && reachOf(target.step)) ?? 0);
    reached.current.set(key, reach);
    return [{ ...target, target, state, reach, isFinal: target.state !== 'Publishing' }];
  });
  return { rows, sendAgain, isLoaded };
};

/** A step may arrive before the result that it announces. */
const stateOf = ({ state, step }: Target): SendOffRow['state'] => {
  if (state === 'Published') return 'Out';
  if (state !== 'Publishing') return state;
  if (step === undefined || !hasEnded(step)) return 'Running';
  if (step.step === 'Published') return 'Out';
  return step.step === 'Failed' ? 'Failed' : 'Uncertain';
};
