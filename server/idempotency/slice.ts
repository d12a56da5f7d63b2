import type { Clock } from '#server/clock';
import type { Database } from '#server/store/database';
import { createIdempotentAnswers } from './answers.ts';
import { createIdempotencyStore } from './store.ts';

export const openIdempotency = ({ database, clock }: { database: Database; clock: Clock }) => ({
  answers: createIdempotentAnswers({ store: createIdempotencyStore(database), clock }),
});
