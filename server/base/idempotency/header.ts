import type { IncomingMessage, ServerResponse } from 'node:http';

export const keyOf = ({ headers }: IncomingMessage): string | undefined => {
  const key = headers['idempotency-key'];
  return typeof key === 'string' ? key : undefined;
};

export const markReplayed = (res: ServerResponse) => res.setHeader('idempotency-replayed', 'true');
