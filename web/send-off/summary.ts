import { joinWithAnd } from '#web/parts/join-names.ts';
import { count } from '#web/parts/number.ts';
import { formatElapsed, type SendState } from './steps.ts';

const accounts = (value: number) => count(value, 'account');

export interface Tally {
  readonly all: number;
  readonly out: number;
  readonly failed: number;
  readonly uncertain: number;
  readonly running: readonly SendState[];
}

export const tallyOf = (rows: readonly SendState[]): Tally => {
  const of = (state: SendState['state']) => rows.filter((row) => row.state === state);
  return {
    all: rows.length,
    out: of('Out').length,
    failed: of('Failed').length,
    uncertain: of('Uncertain').length,
    running: of('Running'),
  };
};

/**
 * Accounts of the same send start within this time of each other. A larger gap means that the post was published again.
 */
export const togetherMs = 5_000;

const elapsedOf = (rows: readonly SendState[]): string => {
  const steps = rows.flatMap(({ step }) => (step?.elapsedMs === undefined ? [] : [step]));
  const starts = steps.map(({ startedAt }) => Date.parse(startedAt));
  if (steps.length < rows.length || Math.max(...starts) - Math.min(...starts) > togetherMs) return '';
  const longestMs = Math.max(...steps.map(({ elapsedMs = 0 }) => elapsedMs));
  // Below a second, use the format of the rows: "in 1 s" above "0.3 s" would look wrong.
  if (longestMs <= 900) return ` in ${formatElapsed(longestMs)}`;
  const seconds = Math.ceil(longestMs / 1000);
  return seconds < 120 ? ` in ${seconds} s` : ` in ${Math.round(seconds / 60)} min`;
};

/** Screen readers announce only this sentence, so it changes only when an account has ended. */
export const titleOf = (rows: readonly SendState[]): string => {
  const { all, out, failed, uncertain, running } = tallyOf(rows);
  const trouble = [...(failed > 0 ? [`${failed} failed`] : []), ...(uncertain > 0 ? [`${uncertain} uncertain`] : [])];
  if (trouble.length === 0) {
    return running.length > 0 ? `Going out to ${accounts(all)}` : `Out on ${accounts(all)}${elapsedOf(rows)}.`;
  }
  if (out > 0) return [`Out on ${accounts(out)}`, ...trouble].join(', ');
  if (running.length > 0) return `Going out to ${accounts(all)}, ${trouble.join(', ')}`;
  return uncertain > 0 ? `May have gone out, ${trouble.join(', ')}` : `Did not go out: ${trouble.join(', ')}`;
};

/** `Mastodon is still working.` */
export const describeRunning = ({ running }: Tally): string => {
  const names = [...new Set(running.map(({ provider }) => provider))];
  if (names.length > 2) return `${running.length} are still working.`;
  return `${joinWithAnd(names)} ${running.length === 1 ? 'is' : 'are'} still working.`;
};
