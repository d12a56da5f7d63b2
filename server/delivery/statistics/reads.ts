import { randomUUID } from 'node:crypto';
import type { MetricName } from '#contracts/analytics';
import { dayMs, hourMs } from '#contracts/time';
import type { Clock } from '#server/base/clock';
import { createDueLoop, type DueLoop } from '#server/base/jobs/due-loop';
import type { Access, AccountAccess, OpenAccess } from '#server/connecting/accounts/access';
import { type Accounts, mayReadStatistics, reconnectForStatistics } from '#server/connecting/accounts/accounts';
import type { MetricsRead, Network, Site } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import { asTrouble, NetworkTrouble, whatHappened } from '#server/networks/trouble';
import type { ReadMetrics } from './metrics.ts';
import type { Numbers } from './numbers.ts';
import type { Publications } from './publications.ts';
import type { DuePost, DueReads, ReadStore } from './read-store.ts';
import { lastMs, stepsMs } from './schedule.ts';

/**
 * A postponed read replaces the next one. After the last step there is no next one, so without this limit that read
 * could be postponed forever.
 */
const lastMoves = 8;
const longestMoveMs = 30 * dayMs;

/** Meta has reported existing posts as absent, so a post must be absent for a day before its schedule ends. */
const absence = { retryMs: 6 * hourMs, overAfterMs: dayMs };

const leaseMs = 60_000;
const extendMs = 15_000;
/** How many accounts of one network are read concurrently. */
const perNetwork = 4;
/** At least this many posts of one account per claim, even for networks that report on fewer per request. */
const minPostsPerClaim = 10;
const changedMs = 1_000;

const disconnected = 'The account was disconnected, so its numbers are no longer read.';

/** Reads the metrics of published posts on schedule. It may stop the reads of an account, but never its publishing. */
export const createReads = ({
  store,
  publications,
  networks,
  accounts,
  access,
  readMetrics,
  clock,
  report,
}: {
  store: ReadStore;
  publications: Publications;
  networks: Networks;
  accounts: Pick<Accounts, 'stopStatistics'>;
  access: AccountAccess['forReading'];
  readMetrics: ReadMetrics;
  clock: Clock;
  report: (error: unknown) => void;
}): DueLoop => {
  const inProgress = new Set<DueReads>();
  const roomAt = (key: string) => perNetwork - [...inProgress].filter(({ account }) => account.network === key).length;
  const withRoom = () => networks.all.filter(({ key }) => roomAt(key) > 0);
  /** One request per account at a time. */
  const busyAccounts = () => [...inProgress].map(({ account }) => account.id);

  const readAll = async (reads: DueReads): Promise<void> => {
    const { account, posts } = reads;
    const network = networks.get(account.network);
    if (account.disconnectedAt !== null) {
      const over = posts.map(({ postId }) => ({ postId, why: disconnected }));
      return store.end(reads, over);
    }
    // Without the permission the network is not even asked (SPEC, Statistics rules 10).
    if (!mayReadStatistics(account, network)) return stop(reads, network, posts);

    let result = await opening(access.open(account));
    let isRenewed = false;
    let left = posts;
    while (left.length > 0) {
      if (result.is === 'busy') return store.giveBack(reads, left, result.forMs);
      if (result.is === 'refused') return stop(reads, network, left);
      if (result.is === 'trouble') return handleTrouble(reads, network, left, result.trouble);
      const batch = left.slice(0, network.postsPerRead);
      const { answer, status } = await ask(result, batch);
      if (!(answer instanceof NetworkTrouble)) {
        await keep(reads, network, batch, answer);
        left = left.slice(batch.length);
      } else if (answer.kind === 'token' && !isRenewed) {
        result = await opening(access.renewed(account, result.account.tokens));
        isRenewed = true;
      } else {
        // A failure may concern only this batch; any other trouble would hit the remaining posts too.
        const affected = isFailure(answer, status) ? batch : left;
        await handleTrouble(reads, network, affected, answer, status);
        left = left.slice(affected.length);
      }
    }
  };

  const opening = (work: Promise<Access>): Promise<Access> =>
    work.catch((error: unknown) => ({ is: 'trouble', trouble: asTrouble(error, report) }));

  /** Also returns the status of the network's last response. */
  const ask = async ({ network, site, account }: OpenAccess, posts: readonly DuePost[]) => {
    let status: number | undefined;
    const request: Site['request'] = async (options) => {
      status = undefined;
      const answer = await site.request(options);
      status = answer.status;
      return answer;
    };
    try {
      const answer = await network.readMetrics({ ...site, request }, account, posts);
      if (answer.length === posts.length) return { answer, status };
      throw new Error(`${network.key} reported on ${answer.length} posts, but ${posts.length} were requested.`);
    } catch (error) {
      return { answer: asTrouble(error, report), status };
    }
  };

  const keep = async (
    reads: DueReads,
    network: Network,
    posts: readonly DuePost[],
    readings: readonly MetricsRead[],
  ): Promise<void> => {
    const current: { postId: string; metrics: Numbers }[] = [];
    const last: { postId: string; metrics: Numbers }[] = [];
    const over: { postId: string; why?: string | undefined }[] = [];
    const absent: { postId: string; why: string }[] = [];
    for (const [index, { postId }] of posts.entries()) {
      const reading = readings[index];
      if (reading?.is === 'numbers') {
        (reading.isLast ? last : current).push({ postId, metrics: plausible(reading.metrics, network) });
      } else if (reading?.is === 'absent') absent.push({ postId, why: reading.why });
      else over.push({ postId, why: reading?.why });
    }
    if (current.length > 0) await publications.keep(reads, current, stepsMs);
    if (last.length > 0) await publications.keep(reads, last, []);
    if (over.length > 0) await store.end(reads, over);
    if (absent.length > 0) await store.postponeAbsent(reads, absent, absence);
    readMetrics.read(network.key, 'ok', posts.length);
  };

  const handleTrouble = async (
    reads: DueReads,
    network: Network,
    posts: readonly DuePost[],
    trouble: NetworkTrouble,
    status?: number,
  ): Promise<void> => {
    if (trouble.kind === 'token' || trouble.kind === 'permission') return stop(reads, network, posts);
    // SPEC, Statistics rules 2. A failed read is postponed too: its next step may be weeks away.
    readMetrics.read(network.key, 'postponed', posts.length);
    await store.move(reads, posts, {
      why: whatHappened(trouble, network),
      isFailure: isFailure(trouble, status),
      byMs: waitMs(network, trouble),
      lastMs,
      lastMoves,
    });
  };

  /** A network that charges for posts has small quotas for reads. */
  const waitMs = ({ paidPerPost }: Network, { until }: NetworkTrouble) => {
    const shortestMs = paidPerPost ? 3 * hourMs : 2 * hourMs;
    const requestedMs = until === undefined ? 0 : until.getTime() - clock.now().getTime();
    return requestedMs > shortestMs ? Math.min(requestedMs, longestMoveMs) : shortestMs;
  };

  /** SPEC, Statistics rules 11. */
  const stop = async (reads: DueReads, network: Network, posts: readonly DuePost[]): Promise<void> => {
    const isStopped = await store.transaction(async () => {
      const stopped = await accounts.stopStatistics(reads.account);
      if (stopped) await store.stop(reads, reconnectForStatistics(network));
      return stopped;
    });
    if (isStopped) readMetrics.read(network.key, 'stopped', posts.length);
    else await store.giveBack(reads, posts, changedMs);
  };

  return createDueLoop<DueReads>({
    concurrency: perNetwork * networks.all.length,
    claim: () => {
      const rooms = withRoom().map(({ key, postsPerRead }) => ({
        key,
        room: roomAt(key),
        atOnce: Math.max(postsPerRead, minPostsPerClaim),
      }));
      return store.claim(rooms, busyAccounts(), randomUUID(), leaseMs);
    },
    handle: async (reads) => {
      inProgress.add(reads);
      await readAll(reads).finally(() => inProgress.delete(reads));
    },
    msToNext: () =>
      store.msToNext(
        withRoom().map(({ key }) => key),
        busyAccounts(),
      ),
    extend: { everyMs: extendMs, run: (rows) => store.extend(rows, leaseMs) },
    report,
  });
};

/** A read that only has to wait is not a failure: the network answered 429 or 503, or denied access for the moment. */
const isFailure = ({ kind, reached }: NetworkTrouble, status: number | undefined) =>
  kind !== 'rateLimited' && (kind !== 'temporary' || !reached || (status !== undefined && status !== 503));

/** Drops impossible counts, and metrics that the network is not documented to report. */
const plausible = (metrics: Numbers, network: Network): Numbers =>
  Object.fromEntries(
    Object.entries(metrics).filter(
      ([name, count]) =>
        network.constraints.metrics.includes(name as MetricName) && Number.isSafeInteger(count) && count >= 0,
    ),
  );
