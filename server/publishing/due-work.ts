import { createBatch } from '#server/jobs/batch';
import { createDueLoop, type DueLoop } from '#server/jobs/queue';
import { createSemaphore } from '#server/jobs/semaphore';
import type { Networks } from '#server/networks/registry';
import type { Outcomes } from '#server/posts/outcome';
import type { Publications } from '#server/statistics/publications';
import { retryUntil } from '#server/store/retry';
import type { BeginPublishing } from './begin.ts';
import type { PublishingMetrics } from './metrics.ts';
import { missed, uncertain } from './result.ts';
import { createSendOne, type HeldRow, type SendingParts } from './sending.ts';
import type { Begin, Ended, PublishingStore, SendRow } from './store.ts';

/** The first are sent while the next are moved. */
const postsAtOnce = 200;
/** Whose results are being recorded while their networks get the next posts. */
const recordedAtOnce = 200;
/** While several are sent, results that come within this time are recorded together. */
const recordGatherMs = 20;
/** Marked as begun and about to be written, for each network: what a crash leaves in doubt although nothing was sent. */
const leavingAtOnce = 16;
/** What a network has answered is known to this process alone, so it is not given up while the database is away. */
const recordWithinMs = 3_600_000;

export type Publishing = ReturnType<typeof createPublishing>;

/**
 * Publishes posts at their time, to every account, once. Rows of the database are the queue: if a process dies, another
 * claims its rows when their lease ends.
 */
export const createPublishing = ({
  store,
  networks,
  outcomes,
  begin,
  publications,
  metrics,
  perNetwork,
  leaseMs,
  report,
  ...parts
}: {
  store: PublishingStore;
  networks: Networks;
  outcomes: Outcomes;
  begin: BeginPublishing;
  publications: Publications;
  metrics: PublishingMetrics;
  /** How many sends to one network are under way at once. */
  perNetwork: number;
  /** A process that does not extend its claim for so long loses it. */
  leaseMs: number;
} & Pick<
  SendingParts,
  'access' | 'library' | 'renditions' | 'clock' | 'startStopwatch' | 'graceMs' | 'readPicture' | 'report'
>) => {
  const markBegun = createBatch(async (rows: readonly (Begin & { row: SendRow })[]) => {
    const ours = await store.markBegun(
      rows.map(({ row, ...begin }) => ({ ...row, ...begin })),
      leaseMs,
    );
    const begunAt = new Map(ours.map((row) => [nameOf(row), row.begunAt]));
    return rows.map(({ row }) => begunAt.get(nameOf(row)));
  });

  /** One transaction: the results, what became public, and the posts that ended with them. */
  const record = async (rows: readonly (Ended & { row: SendRow })[]) => {
    await store.transaction(async () => {
      await outcomes.lock(rows);
      const wasEnded = new Map((await store.end(rows)).map((row) => [nameOf(row), row.wasEnded]));
      const recorded = rows.filter((row) => wasEnded.has(nameOf(row)));
      const out = recorded.flatMap(({ row, result, sent, isRead }) => {
        const [first] = sent;
        if (!result.ok || first === undefined || result.publishedAt === undefined) return [];
        return [
          {
            postId: row.postId,
            accountId: row.accountId,
            workspaceId: row.workspaceId,
            network: row.account.network,
            externalId: first.externalId,
            publishedAt: result.publishedAt,
            ref: first.ref ?? null,
            isRead,
          },
        ];
      });
      if (out.length > 0) await publications.add(out);
      await outcomes.end(await store.endedPosts(recorded.filter((row) => !wasEnded.get(nameOf(row)))));
      await outcomes.settle(recorded.filter((row) => wasEnded.get(nameOf(row))));
    });
    return rows.map(() => undefined);
  };
  const end = createBatch(record, { gatherMs: () => (sends.inFlight() > 1 ? recordGatherMs : 0) });

  const sendOne = createSendOne({
    ...parts,
    networks,
    report,
    // The other half of the lease is for the request to arrive, before another process may claim the row and ask the
    // network.
    sendWithinMs: leaseMs / 2,
    waitToLeave: ({ account: { network } }) => leaving.get(network)?.() ?? Promise.resolve(() => undefined),
    // When the answer of the database is lost, it is asked again: to mark twice changes nothing.
    markBegun: (row, begin) => retryUntil(leaseMs / 2, () => markBegun({ row, ...begin })),
    save: (progress) => retryUntil(recordWithinMs, () => store.save(progress)),
    renewKey: (held) => store.renewKey(held),
    end: async (ended) => {
      if (ended.result.ok && recording < recordedAtOnce) ended.row.leave();
      recording++;
      await retryUntil(recordWithinMs, () => end(ended)).finally(() => recording--);
      if (ended.row.result === null) metrics.ended(ended.row.account.network, ended.result);
    },
    sendingNow: (row) => {
      const due = row.scheduledAt !== null && !row.again ? row.scheduledAt : row.startedAt;
      metrics.late(Math.max(parts.clock.now().getTime() - Date.parse(due), 0));
    },
  });

  let recording = 0;
  /** Of the rows that this process works on: it never takes over what it is itself still sending. */
  const ownClaims = new Set<string>();
  const leaving = new Map(networks.all.map(({ key }) => [key, createSemaphore(leavingAtOnce)]));
  const underWay = new Map<string, number>(networks.all.map(({ key }) => [key, 0]));
  const change = (network: string, by: number) => {
    const count = (underWay.get(network) ?? 0) + by;
    underWay.set(network, count);
    metrics.inFlight(network, count);
  };

  const sends: DueLoop = createDueLoop<Omit<HeldRow, 'leave'>>({
    concurrency: perNetwork * networks.all.length + recordedAtOnce,
    claim: async () => {
      const rooms = new Map(
        [...underWay].flatMap(([key, count]) => (count < perNetwork ? [[key, perNetwork - count]] : [])),
      );
      const heldAtMostMs = parts.startStopwatch();
      const rows = await store.claim(rooms, ownClaims, leaseMs);
      for (const { claim } of rows) ownClaims.add(claim);
      const claimed = performance.now();
      return rows.map((row) => ({ ...row, heldMs: () => performance.now() - claimed, heldAtMostMs }));
    },
    handle: async (row, free) => {
      let isUnderWay = true;
      const leave = () => {
        if (isUnderWay) change(row.account.network, -1);
        isUnderWay = false;
        free();
      };
      change(row.account.network, 1);
      await sendOne({ ...row, leave }).finally(() => {
        leave();
        ownClaims.delete(row.claim);
      });
    },
    msToNext: () => {
      const full = [...underWay].flatMap(([key, count]) => (count < perNetwork ? [] : [key]));
      return store.msToSend(full, ownClaims);
    },
    extend: { everyMs: leaseMs / 4, run: (rows) => store.extend(rows, leaseMs) },
    report,
  });

  /** Fewer after each failure: under a database that keeps breaking, a small transaction gets through where a large does not. */
  let batchSize = postsAtOnce;

  /** Scheduled → Publishing at its time, never early. Posts that are too late fail as missed. */
  const moveDue = () =>
    store.transaction(async () => {
      const { due, missed: tooLate } = await store.due(batchSize, parts.graceMs);
      const all = [...due, ...tooLate];
      if (all.length === 0) return 0;
      const withoutSend = await begin(all);
      if (tooLate.length > 0) await store.endMissed(tooLate, missed, uncertain);
      const over = [...new Set([...withoutSend, ...tooLate])];
      await outcomes.end(await store.endedPosts(over));
      return all.length;
    });

  const posts: DueLoop = createDueLoop<number>({
    concurrency: 2,
    claim: async () => {
      const size = batchSize;
      batchSize = Math.max(1, Math.floor(size / 2));
      const moved = await moveDue();
      batchSize = Math.min(postsAtOnce, size * 2);
      if (moved > 0) sends.wake();
      return moved === size ? [moved, moved] : [];
    },
    handle: async () => undefined,
    msToNext: store.msToPost,
    report,
  });

  return { posts, sends };
};

const nameOf = ({ postId, accountId }: { postId: string; accountId: string }) => `${postId} ${accountId}`;
