import { createBatch } from '#server/base/jobs/batch';
import { createDueLoop, type DueLoop } from '#server/base/jobs/due-loop';
import { createSemaphore } from '#server/base/jobs/semaphore';
import { retryUntil } from '#server/base/store/retry';
import type { Publications } from '#server/delivery/statistics/publications';
import type { Networks } from '#server/networks/registry';
import type { Outcomes } from '#server/writing/posts/outcome';
import type { BeginPublishing } from './begin.ts';
import type { BeginStore } from './begin-store.ts';
import type { DuePostStore } from './due-post-store.ts';
import type { PublishingMetrics } from './metrics.ts';
import type { ClaimedRow, SendingParts } from './open-send.ts';
import { endedStepOf, missed, uncertain } from './result.ts';
import { createSendOne } from './sending.ts';
import type { EndedSend, PublicCall, SendingStore, SendRow } from './sending-store.ts';

/** Posts per transaction, so that the first are being sent while the next are moved. */
const maxBatchSize = 200;
/** How many sends may free their slot at the network before their result is recorded. */
const maxRecording = 200;
/** While several sends are in flight, results within this time share a transaction. */
const recordGatherMs = 20;
/** Sends per network that are marked as begun but not written yet: a crash leaves these uncertain although nothing was sent. */
const markedPerNetwork = 16;
/** Only this process knows what the network answered, so it keeps trying to record it while the database is unavailable. */
const recordWithinMs = 3_600_000;

export type Publishing = ReturnType<typeof createPublishing>;

/**
 * Publishes posts at their time, to every account, once. Rows of the database are the queue: if a process dies, another
 * claims its rows when their lease ends.
 */
export const createPublishing = ({
  store,
  duePostStore,
  beginStore,
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
  store: SendingStore;
  duePostStore: DuePostStore;
  beginStore: BeginStore;
  networks: Networks;
  outcomes: Outcomes;
  begin: BeginPublishing;
  publications: Publications;
  metrics: PublishingMetrics;
  /** How many sends to one network run concurrently. */
  perNetwork: number;
  /** A process that does not extend its claim within this time loses it. */
  leaseMs: number;
} & Pick<
  SendingParts,
  'access' | 'library' | 'fittedFiles' | 'clock' | 'startStopwatch' | 'graceMs' | 'readPicture' | 'note' | 'report'
>) => {
  const markBegun = createBatch(async (rows: readonly (PublicCall & { row: SendRow })[]) => {
    const ours = await store.markBegun(
      rows.map(({ row, ...call }) => ({ ...row, ...call })),
      leaseMs,
    );
    const begunAt = new Map(ours.map((row) => [nameOf(row), row.begunAt]));
    return rows.map(({ row }) => begunAt.get(nameOf(row)));
  });

  /**
   * Records in one transaction the results, what became public, and the posts that ended with them. Returns how long
   * each send took; undefined when another process has ended it.
   */
  const record = async (rows: readonly (EndedSend & { row: SendRow })[]) => {
    return store.transaction(async () => {
      await outcomes.lock(rows);
      const ended = await store.end(rows);
      const wasEnded = new Map(ended.map((row) => [nameOf(row), row.wasEnded]));
      const elapsedMs = new Map(ended.map((row) => [nameOf(row), row.elapsedMs]));
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
      const late = recorded.filter((row) => wasEnded.get(nameOf(row)));
      await outcomes.end(await beginStore.endedPosts(recorded.filter((row) => !wasEnded.get(nameOf(row)))), late);
      return rows.map((row) => elapsedMs.get(nameOf(row)));
    });
  };
  const end = createBatch(record, { gatherMs: () => (sends.inFlight() > 1 ? recordGatherMs : 0) });

  const sendOne = createSendOne({
    ...parts,
    networks,
    report,
    // The other half of the lease is left for the request to arrive, before another process may claim the row and ask
    // the network.
    sendWithinMs: leaseMs / 2,
    waitForMarkSlot: ({ account: { network } }) => markSlots.get(network)?.() ?? Promise.resolve(() => undefined),
    // When the database's answer is lost, the mark is repeated: marking is idempotent.
    markBegun: (row, call) => retryUntil(leaseMs / 2, () => markBegun({ row, ...call })),
    save: (progress) => retryUntil(recordWithinMs, () => store.save(progress)),
    renewKey: (claimKey) => store.renewKey(claimKey),
    end: async (ended) => {
      if (ended.result.ok && recording < maxRecording) ended.row.releaseSlot();
      recording++;
      const elapsedMs = await retryUntil(recordWithinMs, () => end(ended)).finally(() => recording--);
      if (elapsedMs === undefined) return;
      parts.note(ended.row, { step: endedStepOf(ended.result), elapsedMs });
      if (ended.row.result === null) metrics.ended(ended.row.account.network, ended.result);
    },
    onSending: (row) => {
      const due = row.scheduledAt !== null && !row.again ? row.scheduledAt : row.startedAt;
      metrics.late(Math.max(parts.clock.now().getTime() - Date.parse(due), 0));
    },
  });

  let recording = 0;
  /** Claims of rows that this process is sending. It never claims them again, even if a clock step ends their lease. */
  const ownClaims = new Set<string>();
  const markSlots = new Map(networks.all.map(({ key }) => [key, createSemaphore(markedPerNetwork)]));
  const inFlight = new Map<string, number>(networks.all.map(({ key }) => [key, 0]));
  const change = (network: string, by: number) => {
    const count = (inFlight.get(network) ?? 0) + by;
    inFlight.set(network, count);
    metrics.inFlight(network, count);
  };

  const sends: DueLoop = createDueLoop<Omit<ClaimedRow, 'releaseSlot'>>({
    concurrency: perNetwork * networks.all.length + maxRecording,
    claim: async () => {
      const rooms = new Map(
        [...inFlight].flatMap(([key, count]) => (count < perNetwork ? [[key, perNetwork - count]] : [])),
      );
      const heldAtMostMs = parts.startStopwatch();
      const rows = await store.claim(rooms, ownClaims, leaseMs);
      for (const { claim } of rows) ownClaims.add(claim);
      const claimed = performance.now();
      return rows.map((row) => ({ ...row, heldMs: () => performance.now() - claimed, heldAtMostMs }));
    },
    handle: async (row, free) => {
      let isInFlight = true;
      const releaseSlot = () => {
        if (isInFlight) change(row.account.network, -1);
        isInFlight = false;
        free();
      };
      change(row.account.network, 1);
      await sendOne({ ...row, releaseSlot }).finally(() => {
        releaseSlot();
        ownClaims.delete(row.claim);
      });
    },
    msToNext: () => {
      const full = [...inFlight].flatMap(([key, count]) => (count < perNetwork ? [] : [key]));
      return store.msToSend(full, ownClaims);
    },
    extend: { everyMs: leaseMs / 4, run: (rows) => store.extend(rows, leaseMs) },
    report,
  });

  /** Halved before each attempt and restored on success: when the database keeps failing, a small transaction gets through. */
  let batchSize = maxBatchSize;

  /** Scheduled → Publishing when due, never early. Posts beyond the grace period fail as missed. */
  const moveDue = () =>
    store.transaction(async () => {
      const { due, missed: tooLate } = await duePostStore.due(batchSize, parts.graceMs);
      const all = [...due, ...tooLate];
      if (all.length === 0) return 0;
      const withoutSend = await begin(all);
      if (tooLate.length > 0) await beginStore.endMissed(tooLate, missed, uncertain);
      const ended = [...new Set([...withoutSend, ...tooLate])];
      await outcomes.end(await beginStore.endedPosts(ended));
      return all.length;
    });

  const posts: DueLoop = createDueLoop<number>({
    concurrency: 2,
    claim: async () => {
      const size = batchSize;
      batchSize = Math.max(1, Math.floor(size / 2));
      const moved = await moveDue();
      batchSize = Math.min(maxBatchSize, size * 2);
      if (moved > 0) sends.wake();
      return moved === size ? [moved, moved] : [];
    },
    handle: async () => undefined,
    msToNext: duePostStore.msToPost,
    report,
  });

  return { posts, sends };
};

const nameOf = ({ postId, accountId }: { postId: string; accountId: string }) => `${postId} ${accountId}`;
