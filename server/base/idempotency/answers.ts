import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { badInput, Refusal } from '#server/base/errors';
import { sha256 } from '#server/base/sha256';
import type { IdempotencyStore, StoredAnswer } from './store.ts';

const retentionMs = 24 * 60 * 60 * 1000;

export type IdempotentAnswers = ReturnType<typeof createIdempotentAnswers>;

interface IdempotentAnswer {
  /** Text, so that a replay is the same byte for byte. */
  readonly answer: string;
  /** The answer belongs to an earlier request with this key. */
  readonly replayed: boolean;
}

/** DECISIONS, Idempotency-Key: the same key and body within 24 h returns the first answer. */
export const createIdempotentAnswers = ({ store, clock }: { store: IdempotencyStore; clock: Clock }) => {
  /** Key, work and answer share one transaction, so a crash keeps all of them or none. */
  const runOnce = <Result>(
    caller: Caller,
    key: string,
    request: string,
    work: (owner: ReturnType<typeof ownerOf>) => Promise<Result>,
    repeat: (earlier: StoredAnswer) => Result,
  ): Promise<Result> => {
    const owner = ownerOf(caller, key);
    const requestHash = hashOf(request);
    return store.transaction(async () => {
      const now = clock.now();
      const isNew = await store.claim(owner, requestHash, now, new Date(now.getTime() - retentionMs));
      return isNew ? work(owner) : repeat(mustBeSameRequest(await store.read(owner), requestHash, key));
    });
  };

  /** `work` returns the answer, or something that is none: then nothing is stored and the key stays free. */
  const onceOr = <Other extends object>(
    caller: Caller,
    key: string,
    request: string,
    work: () => Promise<string | Other>,
  ): Promise<IdempotentAnswer | Other> =>
    runOnce<IdempotentAnswer | Other>(
      caller,
      key,
      request,
      async (owner) => {
        const answer = await work();
        if (typeof answer !== 'string') {
          await store.remove(owner);
          return answer;
        }
        await store.save(owner, answer);
        return { answer, replayed: false };
      },
      ({ answer }) => ({ answer, replayed: true }),
    );

  return {
    purge: () => store.removeOld(new Date(clock.now().getTime() - retentionMs)),

    /** Lets a caller skip expensive preparation if this key already has an answer. */
    find: async (caller: Caller, key: string, request: string): Promise<string | undefined> => {
      const earlier = await store.readSince(ownerOf(caller, key), new Date(clock.now().getTime() - retentionMs));
      return earlier && mustBeSameRequest(earlier, hashOf(request), key).answer;
    },

    once: (caller: Caller, key: string, request: string, work: () => Promise<string>) =>
      onceOr<never>(caller, key, request, work),

    onceOr,

    /** What was answered was taken back. */
    forget: (caller: Caller, key: string) => store.remove(ownerOf(caller, key)),

    /** For an answer with a secret, which is not stored: a repeat is a Conflict with the sentence `onRepeat`. */
    onceWithSecret: <Answer>(
      caller: Caller,
      key: string,
      request: string,
      onRepeat: string,
      work: () => Promise<Answer>,
    ): Promise<Answer> =>
      runOnce(caller, key, request, work, () => {
        throw new Refusal('Conflict', onRepeat, [
          { path: 'Idempotency-Key', code: 'Repeated', message: 'belongs to an earlier request, which is done' },
        ]);
      }),
  };
};

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

const hashOf = (request: string) => sha256(request);

const mustBeSameRequest = (earlier: StoredAnswer | undefined, requestHash: Buffer, key: string) => {
  if (earlier?.requestHash.equals(requestHash)) return earlier;
  throw new Refusal('Conflict', `The Idempotency-Key ${key} was used for another request. Use a new one.`);
};
