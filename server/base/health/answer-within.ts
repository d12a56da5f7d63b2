/** How long a part outside of this process may take to answer a check. */
export const answerMs = 5_000;

/** With the code of a connection that timed out, so that the start tries again. */
export class NoAnswer extends Error {
  readonly code = 'ETIMEDOUT';

  constructor(ms: number) {
    super(`no answer within ${ms / 1000} s`);
  }
}

/** Ends the wait for something that may never answer; `signal` then tells `work` to let go of it. */
export const answerWithin = <T>(work: (signal: AbortSignal) => Promise<T>, ms = answerMs): Promise<T> =>
  new Promise((resolve, reject) => {
    const end = new AbortController();
    const timer = setTimeout(() => {
      // Before the abort, whose error would say less.
      reject(new NoAnswer(ms));
      end.abort();
    }, ms);
    work(end.signal)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
