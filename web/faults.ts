import { ConnectionError, type ErrorCode, isPosthornError } from '#generated/app-client';

export interface Fault {
  code: ErrorCode | 'NoAnswer' | 'Bug';
  /** A sentence for humans that says what to do. */
  message: string;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
}

/** What the server says about one field; undefined when it says nothing about it. */
export const fieldFault = (error: unknown, path: string, label: string): string | undefined => {
  const message = isPosthornError(error) ? error.issues.find((issue) => issue.path === path)?.message : undefined;
  // Sentences without a subject are about the field.
  return message && /^[a-z]/.test(message) ? `${label} ${message}` : message;
};

/** Any error as something to show. */
export const faultOf = (error: unknown): Fault => {
  if (isPosthornError(error)) {
    const { code, message, requestId, retryAfterMs } = error;
    const retryAfterSeconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000);
    return { code, message, requestId, retryAfterSeconds };
  }
  if (error instanceof ConnectionError) {
    return { code: 'NoAnswer', message: 'The server does not answer. Check the connection, then try again.' };
  }
  return { code: 'Bug', message: 'The app made a mistake. Reload the page; what you saved is safe.' };
};

/** A refusal is final; a lost connection, a server error or a rate limit passes. */
export const isRetryable = (error: unknown) =>
  error instanceof ConnectionError || isPosthornError(error, 'Internal') || isPosthornError(error, 'TooManyRequests');
