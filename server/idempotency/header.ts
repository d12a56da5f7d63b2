import type { IncomingMessage, ServerResponse } from 'node:http';

export const keyOf = ({ headers }: IncomingMessage): string | undefined => {
  const key = headers['idempotency-key'];
  return typeof key === 'string' ? key : undefined;
};

/** The answer is that of an earlier request with the same key. */
export const markReplayed = (res: ServerResponse) => res.setHeader('idempotency-replayed', 'true');
