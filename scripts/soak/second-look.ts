import { setTimeout as sleep } from 'node:timers/promises';
import type { Result } from '#contracts/posts';
import type { Posthorn } from '#packages/sdk/src/index';
import type { Person } from './callers.ts';
import type { WorldClock } from './clocks.ts';
import type { Ledger, LedgerPost } from './ledger.ts';
import type { Streams } from './random.ts';

/** How often a person publishes the same post again. */
const maxTimes = 2;
const checkEveryMs = 2_000;
const longestHoldMs = 20 * 60_000;

/** Failures for which the app advises to publish again. */
const isWorthAnotherTry = ({ ok, uncertain, error }: Pick<Result, 'ok' | 'uncertain' | 'error'>) =>
  !ok && (uncertain || ['not_sent', 'unavailable', 'rate_limited', 'reconnect'].includes(error?.code ?? ''));

/** A person who reconnects accounts and publishes failed posts again, as the app advises. */
export const createSecondLook = ({
  client,
  person,
  ledger,
  clock,
  streams,
  publish,
}: {
  client: Posthorn;
  person: Person;
  ledger: Ledger;
  clock: WorldClock;
  streams: Streams;
  publish: (post: LedgerPost) => Promise<unknown>;
}) => {
  const times = new Map<string, number>();
  const firstSeenMs = new Map<string, number>();
  const byId = () => new Map([...ledger.posts.values()].map((post) => [post.id, post]));

  const failedPosts = async () => {
    const posts = [];
    for await (const post of client.posts.listAll({ status: 'Failed', limit: 100 })) posts.push(post);
    return posts.filter(({ results }) => results.some(isWorthAnotherTry));
  };

  const publishAgain = async (post: LedgerPost) => {
    times.set(post.id, (times.get(post.id) ?? 0) + 1);
    await publish(post).catch((error: unknown) => ledger.gaveUp('publish again', String(error)));
  };

  const reconnect = async () => {
    const { accounts } = await client.accounts.list();
    const networks = accounts.flatMap(({ status, network }) => (status === 'NeedsReconnect' ? [network] : []));
    if (networks.length > 0) await person.click('/api/app/sandbox/accounts', { networks });
  };

  /** Most people wait until the hold time of every network is over. */
  const waitOf = ({ plan: { number } }: LedgerPost, time: number) => {
    const random = streams(`again ${number} ${time}`);
    return random.chance(0.25) ? random.between(1_000, 20_000) : longestHoldMs;
  };

  /** One pass over all accounts that need it, and all failed posts. */
  const look = async (who: 'in time' | 'impatient' | 'everyone') => {
    await reconnect();
    const postsById = byId();
    const due: LedgerPost[] = [];
    for (const { id, updatedAt } of await failedPosts()) {
      const post = postsById.get(id);
      const time = times.get(id) ?? 0;
      if (post === undefined || time >= maxTimes) continue;
      const state = `${id} ${updatedAt}`;
      const seenMs = firstSeenMs.get(state) ?? clock.nowMs();
      firstSeenMs.set(state, seenMs);
      const waitMs = waitOf(post, time);
      const isDue = { 'in time': clock.nowMs() - seenMs > waitMs, impatient: waitMs < longestHoldMs, everyone: true };
      if (!isDue[who]) continue;
      post.publishedAgainAtMs ??= clock.nowMs();
      due.push(post);
    }
    await Promise.all(due.map(publishAgain));
    return due.length;
  };

  return {
    run: async (isOver: () => boolean) => {
      while (!isOver()) {
        await sleep(checkEveryMs);
        await look('in time').catch((error: unknown) => ledger.gaveUp('look', String(error)));
      }
    },

    /** Publishes due posts again and returns their number. */
    lookOnce: (who: 'impatient' | 'everyone') => look(who),

    figures: () => [...times.values()].reduce((sum, count) => sum + count, 0),
  };
};
