import { randomUUID } from 'node:crypto';
import { createBatch } from '#server/jobs/batch';
import { createDueLoop, type DueLoop } from '#server/jobs/queue';
import type { Networks } from '#server/networks/registry';
import type { Outcomes } from '#server/posts/outcome';
import type { Publications } from '#server/statistics/publications';
import { insistently } from '#server/store/patiently';
import type { BeginPublishing } from './begin.ts';
import type { PublishingFigures } from './figures.ts';
import { missed, uncertain } from './result.ts';
import { createSendOne, type HeldRow, type SendingParts } from './sending.ts';
import type { Begin, Ended, PublishingStore, SendRow } from './store.ts';

/** The first are sent while the next are moved. */
const postsAtOnce = 200;
/** Whose results are being recorded while their networks get the next posts. */
const recordedAtOnce = 200;
/** While several are sent, results that come within this time are recorded together. */
const recordGatherMs = 20;

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
  figures,
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
  figures: PublishingFigures;
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
      const ours = new Set((await store.end(rows)).map(nameOf));
      const ended = rows.filter((row) => ours.has(nameOf(row)));
      const out = ended.flatMap(({ row, result, sent, isRead }) => {
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
      await outcomes.end(ended);
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
    markBegun: (row, begin) => markBegun({ row, ...begin }),
    // What a network has answered is known here alone. When another process has claimed the row meanwhile, nothing is written.
    save: (progress) => insistently(leaseMs, () => store.save(progress)),
    end: async (ended) => {
      if (ended.result.ok && recording < recordedAtOnce) ended.row.leave();
      recording++;
      await insistently(leaseMs, () => end(ended)).finally(() => recording--);
      figures.ended(ended.row.account.network, ended.result);
    },
    sendingNow: (row) => {
      const due = row.scheduledAt !== null && !row.again ? row.scheduledAt : row.startedAt;
      figures.late(Math.max(parts.clock.now().getTime() - Date.parse(due), 0));
    },
  });

  let recording = 0;
  const underWay = new Map<string, number>(networks.all.map(({ key }) => [key, 0]));
  const change = (network: string, by: number) => {
    const count = (underWay.get(network) ?? 0) + by;
    underWay.set(network, count);
    figures.inFlight(network, count);
  };

  const sends: DueLoop = createDueLoop<Omit<HeldRow, 'leave'>>({
    concurrency: perNetwork * networks.all.length + recordedAtOnce,
    claim: async () => {
      const rooms = new Map(
        [...underWay].flatMap(([key, count]) => (count < perNetwork ? [[key, perNetwork - count]] : [])),
      );
      const heldAtMostMs = parts.startStopwatch();
      const rows = await store.claim(rooms, randomUUID(), leaseMs);
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
      await sendOne({ ...row, leave }).finally(leave);
    },
    msToNext: () => store.msToSend([...underWay].flatMap(([key, count]) => (count < perNetwork ? [] : [key]))),
    extend: { everyMs: leaseMs / 4, run: (rows) => store.extend(rows, leaseMs) },
    report,
  });

  /** Scheduled → Publishing at its time, never early. Posts that are too late fail as missed. */
  const moveDue = () =>
    store.transaction(async () => {
      const { due, missed: tooLate } = await store.due(postsAtOnce, parts.graceMs);
      const all = [...due, ...tooLate];
      if (all.length === 0) return 0;
      const withoutSend = await begin(all);
      if (tooLate.length > 0) await store.endMissed(tooLate, missed, uncertain);
      const over = [...new Set([...withoutSend, ...tooLate])];
      if (over.length > 0) await outcomes.end(over);
      return all.length;
    });

  const posts: DueLoop = createDueLoop<number>({
    concurrency: 2,
    claim: async () => {
      const moved = await moveDue();
      if (moved > 0) sends.wake();
      return moved === postsAtOnce ? [moved, moved] : [];
    },
    handle: async () => undefined,
    msToNext: store.msToPost,
    report,
  });

  return { posts, sends };
};

const nameOf = ({ postId, accountId }: { postId: string; accountId: string }) => `${postId} ${accountId}`;
