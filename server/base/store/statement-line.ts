import type pg from 'pg';
import { PreparedQuery, type StatementResult } from './prepared-query.ts';
import type { Statement } from './statement.ts';

interface QueuedStatement {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  readonly untilMs: number;
  resolve(result: StatementResult): void;
  reject(error: unknown): void;
}

type Release = (isBroken?: boolean) => void;

/** Upper bound per batch: the last statement waits for all before it. */
const maxBatch = 8;

/** With the message of pg's own pool, which callers recognise. */
const queueTimeout = () => new Error('timeout exceeded when trying to connect');

/**
 * Runs statements outside of transactions on the connections of a pool. While more statements wait than there are
 * connections, a free connection takes a batch of quick ones, sent in one write. Each statement is still its own
 * transaction, so a failing one does not affect the others.
 */
export const createStatementLine = (pool: pg.Pool, { most, waitMs }: { most: number; waitMs: number }) => {
  const queue: QueuedStatement[] = [];
  let borrowed = 0;
  let isWatched = false;

  const borrow = () => {
    borrowed++;
    pool.connect((refused, client, release) => {
      if (client !== undefined) return work(client, release);
      borrowed--;
      queue.shift()?.reject(refused);
      if (queue.length > 0 && borrowed === 0) borrow();
    });
  };

  const releaseClient = (release: Release, isBroken?: boolean) => {
    borrowed--;
    release(isBroken);
    if (queue.length > 0) borrow();
  };

  const work = (client: pg.PoolClient, release: Release) => {
    const share = Math.min(maxBatch, Math.ceil(queue.length / most));
    const first = queue.shift();
    if (first === undefined) return releaseClient(release);
    const batch = [first];
    if (canBatch(first, client)) {
      while (batch.length < share && canBatch(queue[0], client)) batch.push(queue.shift() as QueuedStatement);
    }
    const queries = batch.map(({ statement, values, resolve, reject }, index): PreparedQuery => {
      const query = new PreparedQuery(statement, values, (error, result) => {
        if (result) resolve(result);
        else reject(error);
        // The connection is lost, and with it the rest of the batch.
        if (!query.isAnswered) {
          for (const behind of batch.slice(index + 1)) behind.reject(error);
          return releaseClient(release, true);
        }
        const next = queries[index + 1];
        if (next) client.query(next);
        // Yield the connection, so that whoever needs a whole one is not starved.
        else if (pool.waitingCount > 0) releaseClient(release);
        else work(client, release);
      });
      return query;
    });
    const [leading, ...others] = queries as [PreparedQuery, ...PreparedQuery[]];
    leading.followedBy = others;
    client.query(leading);
  };

  /** One timer for the whole queue, because statements time out in the order of arrival. */
  const watch = (ms: number) => {
    isWatched = true;
    setTimeout(() => {
      isWatched = false;
      const nowMs = performance.now();
      while (queue[0] && queue[0].untilMs <= nowMs) queue.shift()?.reject(queueTimeout());
      if (queue[0]) watch(queue[0].untilMs - nowMs);
    }, ms).unref();
  };

  return {
    ask: (statement: Statement, values: readonly unknown[]) =>
      new Promise<StatementResult>((resolve, reject) => {
        queue.push({ statement, values, untilMs: performance.now() + waitMs, resolve, reject });
        if (!isWatched) watch(waitMs);
        if (borrowed < most) borrow();
      }),

    length: () => queue.length,
  };
};

/** Quick and already prepared on this connection, so it can be batched. */
const canBatch = (one: QueuedStatement | undefined, client: pg.PoolClient) =>
  one?.statement.pace === 'quick' && PreparedQuery.isPreparedOn(client, one.statement);
