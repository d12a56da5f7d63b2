import { createHash } from 'node:crypto';
import type { Clock } from '#server/clock';
import type { Caller } from '#server/context';
import { badInput, Refusal } from '#server/errors';
import type { IdempotencyStore } from './store.ts';

const keptMs = 24 * 60 * 60 * 1000;

export type IdempotentAnswers = ReturnType<typeof createIdempotentAnswers>;

/** DECISIONS, Idempotency-Key: the same key and body within 24 h returns the first answer. */
export const createIdempotentAnswers = ({ store, clock }: { store: IdempotencyStore; clock: Clock }) => ({
  /** Those that are no longer answered with. */
  purge: () => store.removeOld(new Date(clock.now().getTime() - keptMs)),

  /** The answer as text, so that it is the same byte for byte. The key, the work and its answer are one transaction: a crash leaves all of them or none. */
  once: (caller: Caller, key: string, request: string, work: () => Promise<string>): Promise<string> => {
    if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
      throw badInput({
        path: 'Idempotency-Key',
        code: 'BadFormat',
        message: 'must have 1 to 255 visible ASCII characters',
      });
    }
    const owner = [caller.workspaceId, caller.userId, key] as const;
    const requestHash = createHash('sha256').update(request).digest();
    return store.transaction(async () => {
      const now = clock.now();
      if (await store.claim(owner, requestHash, now, new Date(now.getTime() - keptMs))) {
        const answer = await work();
        await store.save(owner, answer);
        return answer;
      }
      const earlier = await store.read(owner);
      if (!earlier?.request_hash.equals(requestHash)) {
        throw new Refusal('Conflict', `The Idempotency-Key ${key} was used for another request. Use a new one.`);
      }
      return earlier.answer;
    });
  },
});
