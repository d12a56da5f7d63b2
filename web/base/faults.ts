import { ConnectionError, type ErrorCode, isApiError, isPosthornError } from '#generated/app-client';

export interface Fault {
  code: ErrorCode | 'NoAnswer' | 'NotDone' | 'Bug';
  message: string;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
}

/** Thrown when the app itself refuses an action. People see the message as it is. */
export class NotDone extends Error {}

/** The server's message about one field, if any. */
export const fieldFault = (error: unknown, path: string, label: string): string | undefined => {
  const message = isApiError(error) ? error.issues.find((issue) => issue.path === path)?.message : undefined;
  // Such messages start in lower case and have no subject.
  return message && /^[a-z]/.test(message) ? `${label} ${message}` : message;
};

export const faultOf = (error: unknown): Fault => {
  if (isApiError(error)) {
    const { code, status, message, requestId, retryAfterMs } = error;
    // Every Posthorn response has a request id. One without it comes from a proxy, whose error text means nothing to
    // users.
    if (requestId === undefined) {
      return { code: 'NoAnswer', message: `Posthorn cannot be reached right now (${status}). Try again soon.` };
    }
    const retryAfterSeconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000);
    return { code, message, requestId, retryAfterSeconds };
  }
  if (error instanceof ConnectionError) {
    return { code: 'NoAnswer', message: 'The server does not answer. Check the connection, then try again.' };
  }
  if (error instanceof NotDone) return { code: 'NotDone', message: error.message };
  return { code: 'Bug', message: 'The app made a mistake. Reload the page; what you saved is safe.' };
};

/** For a change whose answer was lost. */
export const unknownOutcome =
  'It may have worked anyway. Check your connection and look at the result before you try again.';

/** For a lost response that contained a secret: the call has an Idempotency-Key, so a retry creates nothing twice. */
export const madeOnce =
  'It may have been created anyway. Check your connection and try again; it is not created twice.';

/** One line about a failed change, for a toast. `title` says what was not done. */
export const describeFailure = (error: unknown, title = ''): string => {
  const { code, message } = faultOf(error);
  return code === 'NoAnswer' ? `No answer arrived. ${unknownOutcome}` : `${title} ${message}`.trim();
};

/** A refusal is final; a lost connection, a server error or a rate limit passes. */
export const isRetryable = (error: unknown) =>
  error instanceof ConnectionError || isPosthornError(error, 'Internal') || isPosthornError(error, 'TooManyRequests');
