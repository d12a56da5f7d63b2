import type { Clock } from '#server/base/clock';
import type { Database } from '#server/base/store/database';
import { createIdempotentAnswers } from './answers.ts';
import { createIdempotencyStore } from './store.ts';

export const openIdempotency = ({ database, clock }: { database: Database; clock: Clock }) => {
  const answers = createIdempotentAnswers({ store: createIdempotencyStore(database), clock });
  return { answers, chores: { 'remove old idempotent answers': { every: '1 hour', run: answers.purge } } };
};
