import type pg from 'pg';
import { type Answered, PreparedQuery, type Statement } from './prepared-query.ts';

interface Waiting {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  readonly untilMs: number;
  resolve(answered: Answered): void;
  reject(error: unknown): void;
}

type Release = (isBroken?: boolean) => void;

/** Upper bound per batch: the last statement waits for all before it. */
const mostTogether = 8;

/** As pg's pool says it. */
const tooLong = () => new Error('timeout exceeded when trying to connect');

/**
 * Statements outside of transactions, on the connections of a pool. While more of them wait than there are connections, one
 * that becomes free takes its share: quick ones, which go out in one write and are answered in few reads. Each is a
 * transaction of its own all the same, and one that fails is alone in that.
 */
export const createStatementLine = (pool: pg.Pool, { most, waitMs }: { most: number; waitMs: number }) => {
  const waiting: Waiting[] = [];
  let lent = 0;
  let isWatched = false;

  const borrow = () => {
    lent++;
    pool.connect((refused, client, release) => {
      if (client !== undefined) return work(client, release);
      lent--;
      waiting.shift()?.reject(refused);
      if (waiting.length > 0 && lent === 0) borrow();
    });
  };

  const giveBack = (release: Release, isBroken?: boolean) => {
    lent--;
    release(isBroken);
    if (waiting.length > 0) borrow();
  };

  const work = (client: pg.PoolClient, release: Release) => {
    const share = Math.min(mostTogether, Math.ceil(waiting.length / most));
    const first = waiting.shift();
    if (first === undefined) return giveBack(release);
    const together = [first];
    if (isReady(first, client)) {
      while (together.length < share && isReady(waiting[0], client)) together.push(waiting.shift() as Waiting);
    }
    const queries = together.map(({ statement, values, resolve, reject }, index): PreparedQuery => {
      const query = new PreparedQuery(statement, values, (error, answered) => {
        if (answered) resolve(answered);
        else reject(error);
        // The connection is gone, and with it those behind.
        if (!query.isAnswered) {
          for (const behind of together.slice(index + 1)) behind.reject(error);
          return giveBack(release, true);
        }
        const next = queries[index + 1];
        if (next) client.query(next);
        // Yield the connection, so that whoever needs a whole one is not starved.
        else if (pool.waitingCount > 0) giveBack(release);
        else work(client, release);
      });
      return query;
    });
    const [leading, ...others] = queries as [PreparedQuery, ...PreparedQuery[]];
    leading.followedBy = others;
    client.query(leading);
  };

  /** One timer for all: they end in the order in which they came. */
  const watch = (ms: number) => {
    isWatched = true;
    setTimeout(() => {
      isWatched = false;
      const nowMs = performance.now();
      while (waiting[0] && waiting[0].untilMs <= nowMs) waiting.shift()?.reject(tooLong());
      if (waiting[0]) watch(waiting[0].untilMs - nowMs);
    }, ms).unref();
  };

  return {
    ask: (statement: Statement, values: readonly unknown[]) =>
      new Promise<Answered>((resolve, reject) => {
        waiting.push({ statement, values, untilMs: performance.now() + waitMs, resolve, reject });
        if (!isWatched) watch(waitMs);
        if (lent < most) borrow();
      }),

    length: () => waiting.length,
  };
};

/** Quick, and prepared on this connection: then nothing that it is sent with can get in its way. */
const isReady = (one: Waiting | undefined, client: pg.PoolClient) =>
  one?.statement.pace === 'quick' && PreparedQuery.isPreparedOn(client, one.statement);
