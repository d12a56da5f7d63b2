import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { countOpen } from './books.ts';
import type { DatabaseClock } from './clocks.ts';
import type { NetworkProxy } from './network-proxy.ts';

const pauseMs = 700;
const quietWithinMs = 30_000;
const maxMoves = 150;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** After this many moves without an ended send the clock moves by hours: the rest waits for a daily quota of a network. */
const minuteMoves = 20;

/**
 * Moves the clock until everything has ended. Never while something is being sent, because the lease of that send would
 * expire.
 */
export const settle = async ({
  db,
  databaseClock,
  networkProxy,
  planWorkspaceId,
  say,
}: {
  db: pg.Pool;
  databaseClock: DatabaseClock;
  networkProxy: NetworkProxy;
  planWorkspaceId: string;
  say: (text: string) => void;
}) => {
  const open = () => countOpen(db, planWorkspaceId);
  const waitForQuiet = async () => {
    const deadline = performance.now() + quietWithinMs;
    while (performance.now() < deadline && (await open()).busy > 0) await sleep(200);
  };

  let [fewestSends, movesSince] = [Number.POSITIVE_INFINITY, 0];
  for (let move = 0; move < maxMoves; move++) {
    const { posts, sends, deliveries } = await open();
    movesSince = sends < fewestSends ? 0 : movesSince + 1;
    fewestSends = Math.min(fewestSends, sends);
    if (posts === 0 && sends === 0 && deliveries === 0 && networkProxy.held() === 0) return;
    if (move % 5 === 0)
      say(
        `open: ${posts} posts, ${sends} sends, ${deliveries} deliveries, ${networkProxy.held()} held by late networks`,
      );
    await waitForQuiet();
    // Webhooks are retried hours later.
    const isForWebhooks = posts === 0 && sends === 0 && networkProxy.held() === 0;
    await databaseClock.forwardAll(isForWebhooks || movesSince > minuteMoves ? hourMs : minuteMs);
    await networkProxy.forwardHeld();
    await sleep(pauseMs);
  }
};
