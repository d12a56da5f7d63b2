import { ConnectionError, type ErrorCode, isApiError, isPosthornError } from '#generated/app-client';

export interface Fault {
  code: ErrorCode | 'NoAnswer' | 'NotDone' | 'Bug';
  message: string;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
}

/** The app itself stops, and its message tells the person why. */
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
    // Posthorn gives every answer an id. A proxy in front of it does not, and has no words for people.
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

/** Whether a change without an answer was made is not known. */
export const unknownOutcome =
  'It may have been done all the same. Check the connection and look, before you try again.';

/** For what has an Idempotency-Key and a secret, which an answer that was lost took with it. */
export const madeOnce =
  'It may have been made all the same. Check the connection, then try again: a second one is not made.';

/** Of a change, in one line. `title` says what was not done. */
export const describeFailure = (error: unknown, title = ''): string => {
  const { code, message } = faultOf(error);
  return code === 'NoAnswer' ? `No answer arrived. ${unknownOutcome}` : `${title} ${message}`.trim();
};

/** A refusal is final; a lost connection, a server error or a rate limit passes. */
export const isRetryable = (error: unknown) =>
  error instanceof ConnectionError || isPosthornError(error, 'Internal') || isPosthornError(error, 'TooManyRequests');
