import { pipeline, Transform } from 'node:stream';
import type { SendStep } from '#contracts/posts';
import type { LiveChange } from '#server/base/live/changes';
import type { Live } from '#server/base/live/live';
import { outside } from '#server/base/store/transactions';
import type { PublishMedia, Sending, Site } from '#server/networks/network';
import type { NetworkRequest } from '#server/networks/request';
import type { SendRow } from './sending-store.ts';

/** Steps within this time share a query. */
const gatherMs = 200;
/** Per query. When more posts go out at once, some steps are not shown, so that progress never slows publishing down. */
const maxPerQuery = 25;
/** PostgreSQL limits a notification to 8000 bytes. */
const maxPerEvent = 20;
/** Posts whose steps a process keeps. */
const maxPosts = 2_000;
/** Bytes are only counted for files that take a moment to upload. */
const countedBytes = 1_000_000;

export type NewStep = Omit<SendStep, 'accountId' | 'startedAt'>;

export const hasEnded = ({ step }: Pick<SendStep, 'step'>) =>
  step === 'Published' || step === 'Failed' || step === 'Uncertain';

/** A process that stalled may report a step after another one has ended the send. */
const isOutdated = (step: SendStep, previous: SendStep) =>
  step.startedAt === previous.startedAt ? hasEnded(previous) && !hasEnded(step) : step.startedAt < previous.startedAt;

export type SendProgress = ReturnType<typeof createSendProgress>;

/**
 * The steps of running sends. They are sent as live events and never stored: every process keeps the latest that it
 * received. Reporting one returns at once and never throws, so it cannot delay or fail a send.
 */
export const createSendProgress = ({ live, report }: { live: Live; report: (error: unknown) => void }) => {
  const byPost = new Map<string, Map<string, SendStep>>();
  let pending = new Map<string, Pick<SendRow, 'workspaceId' | 'postId'> & { step: SendStep }>();
  let timer: NodeJS.Timeout | undefined;
  let isSending = false;
  let isClosed = false;
  let sentAt = Number.NEGATIVE_INFINITY;

  live.onProgress(({ id: postId = '', steps = [] }) => {
    const latest = byPost.get(postId) ?? new Map<string, SendStep>();
    byPost.delete(postId);
    byPost.set(postId, latest);
    if (byPost.size > maxPosts) byPost.delete(byPost.keys().next().value ?? '');
    for (const step of steps) {
      const previous = latest.get(step.accountId);
      if (!previous || !isOutdated(step, previous)) latest.set(step.accountId, step);
    }
  });

  const send = async () => {
    const changes = changesOf([...pending.values()]);
    pending = new Map();
    timer = undefined;
    isSending = true;
    try {
      await live.publish(...changes);
    } catch (error) {
      report(error);
    }
    isSending = false;
    sentAt = performance.now();
    if (pending.size > 0) sendSoon();
  };
  const sendSoon = () => {
    if (timer !== undefined || isSending || isClosed) return;
    const waitMs = Math.max(gatherMs - (performance.now() - sentAt), 0);
    // Leave the caller's transaction, which may have ended by the time the timer fires.
    timer = outside(() => setTimeout(() => void send(), waitMs));
    timer.unref();
  };

  return {
    note: ({ workspaceId, postId, accountId, startedAt, result }: SendRow, step: NewStep) => {
      // The post has already ended as uncertain, so only its stored result still changes.
      if (result !== null) return;
      const key = `${postId} ${accountId}`;
      if (pending.size >= maxPerQuery && !pending.has(key)) return;
      pending.set(key, { workspaceId, postId, step: { accountId, startedAt, ...step } });
      sendSoon();
    },

    /** The latest steps that any process reported, by account. */
    of: (postId: string): ReadonlyMap<string, SendStep> => byPost.get(postId) ?? new Map(),

    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
};

const changesOf = (steps: readonly { workspaceId: string; postId: string; step: SendStep }[]): LiveChange[] => {
  const changes: (LiveChange & { steps: SendStep[] })[] = [];
  const open = new Map<string, SendStep[]>();
  for (const { workspaceId, postId, step } of steps) {
    const group = open.get(postId);
    if (group !== undefined && group.length < maxPerEvent) group.push(step);
    else {
      const change = { workspaceId, kind: 'progress' as const, id: postId, steps: [step] };
      open.set(postId, change.steps);
      changes.push(change);
    }
  }
  return changes;
};

const carriesData = ({ method, json, form, multipart, bytes }: NetworkRequest) =>
  method === undefined ? (json ?? form ?? multipart ?? bytes) !== undefined : method !== 'GET';

/** Reports which file is on its way, when its request is written. The requests stay as they are. */
export const watchPreparation = (
  site: Site,
  sending: Sending,
  note: (step: NewStep) => void,
): { site: Site; sending: Sending } => {
  const files = sending.part.media;
  let current: SendStep['media'];
  const noteLeaving = () => note(current ? { step: 'Media', media: current } : { step: 'Sending' });
  const beginFile = (index: number) => {
    const kind = files[index]?.kind;
    if (kind !== undefined && current?.number !== index + 1) current = { kind, number: index + 1, count: files.length };
  };
  const watchFile = (file: PublishMedia, index: number): PublishMedia => ({
    ...file,
    read: async (range) => {
      const stream = await file.read(range);
      beginFile(index);
      if (file.bytes < countedBytes) return stream;
      let sentBytes = range?.first ?? 0;
      const counter = new Transform({
        transform: (chunk: Buffer, _encoding, done) => {
          sentBytes += chunk.length;
          if (current?.number === index + 1) {
            current = { ...current, sentBytes, bytes: file.bytes };
            noteLeaving();
          }
          done(null, chunk);
        },
      });
      // Ends both streams together; the reader of the counter gets the error.
      return pipeline(stream, counter, () => undefined);
    },
  });
  return {
    site: {
      ...site,
      request: (request) => {
        if (!carriesData(request)) return site.request(request);
        const mayBegin = () => {
          noteLeaving();
          return request.guard?.mayBegin() ?? true;
        };
        return site.request({ ...request, guard: { ...request.guard, mayBegin } });
      },
    },
    sending: { ...sending, part: { ...sending.part, media: files.map(watchFile) }, beginFile },
  };
};
