import { SettingError } from '#server/base/config/config';
import { answerWithin, NoAnswer } from '#server/base/health/answer-within';
import { type Check, checksNamed } from '#server/base/health/check';
import { messageOf } from '#server/base/store/pg-errors';

export interface CheckRule {
  readonly name: string;
  /** What it throws becomes a failure of this name. */
  readonly run: () => Promise<readonly Check[]>;
  /** Whether each start runs it too: it logs what is wrong, and refuses with what is thrown. */
  readonly atStart?: true;
  /** It asks other servers, starts programs or reads much, so the app repeats it less often while it is well. */
  readonly isCostly?: true;
  /** What to do if it never ends. */
  readonly advice?: string;
}

export interface CheckOptions {
  readonly onEnd?: (checks: readonly Check[]) => void;
  readonly ms?: number;
  /** Whether another check has named the cause of this error, which then gets no line. */
  readonly isKnown?: (error: unknown) => boolean;
  readonly adapt?: (rule: CheckRule) => CheckRule;
}

/** Longer than `answerMs`, so that a check can say itself who gives no answer. */
export const checkMs = 10_000;

/** Side by side, each with a bound, so that a part that never answers hides nothing about the others. */
export const runChecks = async (
  rules: readonly CheckRule[],
  { onEnd = () => undefined, ms = checkMs, isKnown = () => false, adapt = (rule) => rule }: CheckOptions = {},
): Promise<Check[]> => {
  const results = await Promise.all(
    rules.map(adapt).map(async (rule) => {
      const checks = await runCheck(rule, { ms, again: 'run doctor again' }).catch((error: unknown) =>
        isKnown(error) ? [] : [checksNamed(rule.name).failure(messageOf(error).replace(/\.?$/, '.'))],
      );
      onEnd(checks);
      return checks;
    }),
  );
  return results.flat();
};

/** Throws a sentence if the check has no result in time; `again` is what to do once that is mended. */
export const runCheck = (
  { name, run, advice = defaultAdvice }: CheckRule,
  { ms, again }: { ms: number; again: string },
): Promise<readonly Check[]> =>
  answerWithin(run, ms).catch((error: unknown) => {
    if (!(error instanceof NoAnswer)) throw error;
    throw new SettingError(`The check of ${name} has no result after ${ms / 1000} s. ${advice}, then ${again}.`);
  });

const defaultAdvice = 'Something that it needs does not answer, such as a network drive: mend that';
