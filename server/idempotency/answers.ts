import { createHash } from 'node:crypto';
import type { Clock } from '#server/clock';
import type { Caller } from '#server/context';
import { badInput, Refusal } from '#server/errors';
import type { IdempotencyStore, KeptAnswer } from './store.ts';

const keptMs = 24 * 60 * 60 * 1000;

export type IdempotentAnswers = ReturnType<typeof createIdempotentAnswers>;

interface OnceAnswered {
  /** As text, so that it is the same byte for byte. */
  readonly answer: string;
  /** It is that of an earlier request. */
  readonly replayed: boolean;
}

/** DECISIONS, Idempotency-Key: the same key and body within 24 h returns the first answer. */
export const createIdempotentAnswers = ({ store, clock }: { store: IdempotencyStore; clock: Clock }) => ({
  /** Those that are no longer answered with. */
  purge: () => store.removeOld(new Date(clock.now().getTime() - keptMs)),

  /** The answer that this key already has, for work whose preparation is long. */
  find: async (caller: Caller, key: string, request: string): Promise<string | undefined> => {
    const earlier = await store.readSince(ownerOf(caller, key), new Date(clock.now().getTime() - keptMs));
    return earlier && sameRequest(earlier, hashOf(request), key).answer;
  },

  /** The key, the work and its answer are one transaction: a crash leaves all of them or none. */
  once: (caller: Caller, key: string, request: string, work: () => Promise<string>): Promise<OnceAnswered> => {
    const owner = ownerOf(caller, key);
    const requestHash = hashOf(request);
    return store.transaction(async () => {
      const now = clock.now();
      if (await store.claim(owner, requestHash, now, new Date(now.getTime() - keptMs))) {
        const answer = await work();
        await store.save(owner, answer);
        return { answer, replayed: false };
      }
      return { answer: sameRequest(await store.read(owner), requestHash, key).answer, replayed: true };
    });
  },
});

const ownerOf = ({ workspaceId, userId }: Caller, key: string) => {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw badInput({
      path: 'Idempotency-Key',
      code: 'BadFormat',
      message: 'must have 1 to 255 visible ASCII characters',
    });
  }
  return [workspaceId, userId, key] as const;
};

const hashOf = (request: string) => createHash('sha256').update(request).digest();

const sameRequest = (earlier: KeptAnswer | undefined, requestHash: Buffer, key: string) => {
  if (earlier?.request_hash.equals(requestHash)) return earlier;
  throw new Refusal('Conflict', `The Idempotency-Key ${key} was used for another request. Use a new one.`);
};
