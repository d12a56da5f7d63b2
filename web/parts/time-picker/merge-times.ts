import { formatRelative } from '#web/base/time.ts';

/** `best`: the best hour of the last 90 days; `good`: another good one. */
export type Reason = 'slot' | 'best' | 'good';

export interface SuggestedTime {
  readonly at: string;
  readonly reasons: readonly Reason[];
  readonly detail: string;
}

export interface BestTime {
  readonly at: string;
  readonly isGuess: boolean;
  readonly evidence: string;
}

/** Equal times are one suggestion with both reasons; the next free slot comes first. */
export const mergeTimes = (slot: string | undefined, best: readonly BestTime[]): SuggestedTime[] => {
  const reasonsFor = ({ isGuess }: BestTime, index: number): Reason[] =>
    isGuess ? [] : [index === 0 ? 'best' : 'good'];
  const times = best.map((time, index): SuggestedTime => {
    const isSlot = slot !== undefined && Date.parse(slot) === Date.parse(time.at);
    const reasons = reasonsFor(time, index);
    return isSlot
      ? { at: slot, reasons: ['slot', ...reasons], detail: `${formatRelative(slot)} · ${time.evidence}` }
      : // `good` is shown only next to `slot`. Without a slot, only the best hour is marked.
        { at: time.at, reasons: reasons.filter((reason) => reason === 'best'), detail: time.evidence };
  });
  const isListed = times.some(({ reasons }) => reasons.includes('slot'));
  const withSlot: SuggestedTime[] =
    slot === undefined || isListed ? times : [{ at: slot, reasons: ['slot'], detail: formatRelative(slot) }, ...times];
  return withSlot.toSorted((a, b) => Number(b.reasons.includes('slot')) - Number(a.reasons.includes('slot')));
};
