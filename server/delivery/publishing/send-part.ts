import type { SendEnd, Sending, Sent } from '#server/networks/network';
import type { NetworkClocks } from '#server/networks/network-clocks';
import { askTime } from '#server/networks/network-skew';
import { asTrouble, type NetworkTrouble, whatHappened } from '#server/networks/trouble';
import { claimKeyOf, type OpenSend, type SendingParts, sendingOf, serverOf } from './open-send.ts';
import { watchPreparation } from './progress.ts';
import { failed, refused, restNotSent, withSent } from './result.ts';
import type { SendClock } from './send-clock.ts';
import { type LongWait, preparedIn, withMark } from './send-mark.ts';
import type { SendRecord } from './send-record.ts';
import { askAgainMs, longestWaitMs, retryDelaysMs, settleMs, waitFor } from './send-waits.ts';
import type { PublicCall } from './sending-store.ts';
import { guardWrites } from './write-guard.ts';

export type PartSender = ReturnType<typeof createPartSender>;

/** Sends the parts of a post one after the other: prepare, mark as begun, send, record. */
export const createPartSender = ({
  access,
  clock,
  graceMs,
  networkClocks,
  sendClock,
  record,
  ...parts
}: SendingParts & { networkClocks: NetworkClocks; sendClock: SendClock; record: SendRecord }) => {
  const { end, endState, note, pause, openedOrEnd, withNewKey } = record;
  const { ageMs } = sendClock;

  /** SPEC and DECISIONS, never twice: prepared, marked as begun in a row of its own, sent, recorded. */
  const sendNextPart = async (state: OpenSend): Promise<void> => {
    const { opened, row } = state;
    const { network, site } = opened;
    if (state.sent.length === state.count) return finish(state);
    const sending = sendingOf(state, parts.readPicture);
    const watched = watchPreparation(site, sending, (step) => note(state, step));
    let prepared: unknown;
    try {
      const step = await network.prepare(watched.site, watched.sending, preparedIn(row));
      if (step.is === 'waiting') {
        if (ageMs(row, state.since) > longestWaitMs) return endState(state, failed('media_refused', tookTooLong));
        await pause(state, 'Processing', { prepared: step.prepared, isBegun: false, inMs: askAgainMs(step) });
        return;
      }
      prepared = step.prepared;
    } catch (error) {
      return handleTrouble(state, asTrouble(error, parts.report));
    }
    // A lost answer is looked for by the network's time, which the first send of a process may not know yet.
    await networkClocks.learn(serverOf(row), () => askTime(network, site));
    return commit(state, sending, {
      prepared: withMark(prepared, sending, clock.now(), networkClocks.nowMs(serverOf(row))),
      body: sending.part.body,
      isRepeat: false,
    });
  };

  const commit = async (state: OpenSend, sending: Sending, call: PublicCall): Promise<void> => {
    const { opened, row } = state;
    const { prepared, isRepeat } = call;
    const releaseMarkSlot = await parts.waitForMarkSlot(row);
    let answer: SendEnd<unknown>;
    let begunAt: string | undefined;
    try {
      // A repeat does not restart the timer: the network may have the post since the first request, which another
      // process may have sent.
      if (!isRepeat) sendClock.startSent(state.key);
      const sinceBegun = parts.startStopwatch();
      begunAt = await mark(state, call);
      if (begunAt === undefined) return;
      if (state.sent.length === 0 && !isRepeat) parts.onSending(row);
      const onFirstWrite = () => {
        releaseMarkSlot();
        note(state, { step: 'Sending', awaitsAnswer: true });
      };
      answer = await opened.network.send(
        guardWrites(opened.site, {
          sinceBegun,
          withinMs: parts.sendWithinMs,
          startStopwatch: parts.startStopwatch,
          onFirstWrite,
        }),
        sending,
        prepared,
      );
    } catch (error) {
      const trouble = asTrouble(error, parts.report);
      // The network may refuse the repeated request because it accepted the first one.
      if (!isRepeat && isDefinite(trouble)) return handleTrouble(state, trouble);
      sendClock.startLost(state.key);
      const mayRepeat = !isRepeat && trouble.kind === 'temporary';
      await pause(state, 'Confirming', { prepared, isBegun: true, inMs: settleMs, mayRepeat });
      return;
    } finally {
      releaseMarkSlot();
    }
    if (answer.is === 'waiting') {
      await pause(state, 'Processing', { prepared: answer.prepared, isBegun: true, inMs: askAgainMs(answer) });
      return;
    }
    return recordPart(state, { ...answer.sent, publishedAt: begunAt });
  };

  /** Undefined when another process holds the row, or when the mark failed. In both cases nothing is sent. */
  const mark = async (state: OpenSend, call: PublicCall): Promise<string | undefined> => {
    try {
      return await parts.markBegun(state.row, call);
    } catch (error) {
      parts.report(error);
      // A repeated send stays marked, because the first request may have been published.
      const { prepared } = call.isRepeat ? call : { prepared: null };
      await pause(state, 'Retrying', { prepared, isBegun: call.isRepeat, inMs: retryDelaysMs[0] ?? 0 });
      return undefined;
    }
  };

  const recordPart = async (state: OpenSend, part: Sent): Promise<void> => {
    const sent = [...state.sent, part];
    sendClock.stop(state.key);
    if (sent.length >= state.count) return finish({ ...state, sent });
    const { row } = state;
    // The post has already ended and may have been edited since, so the remaining parts were not approved.
    if (row.result !== null) return endState({ ...state, sent }, restNotSent);
    const next = await parts.save({
      ...claimKeyOf(row),
      sent,
      prepared: null,
      isBegun: false,
      mayRepeat: false,
      tries: 0,
      inMs: longestStepMs,
      hasNextPart: true,
      shouldStartOver: false,
    });
    if (!next?.isHeld) return;
    const { key, since } = next;
    const nextRow = { ...row, key, prepared: null, begunAt: null, tries: 0 };
    return sendNextPart({ ...state, row: nextRow, sent, tries: 0, key, since });
  };

  const finish = ({ row, opened, post, sent }: OpenSend) => {
    const [first] = sent;
    const { metrics } = opened.network.constraintsFor(post, opened.account.facts);
    const isRead = metrics.length > 0 && first?.withoutStatistics !== true;
    const outcome = { ok: true, uncertain: false, publishedAt: first?.publishedAt ?? row.startedAt };
    return end(row, sent, withSent(outcome, sent, sent.length), { isRead });
  };

  /** Nothing is public: retry later, or end with the reason. */
  const handleTrouble = async (state: OpenSend, trouble: NetworkTrouble): Promise<void> => {
    const { row, tries } = state;
    if (trouble.kind === 'token') {
      if (state.hasRefreshedTokens) {
        await access.refuse(row.account, state.opened.account.tokens);
        return endState(state, refused(state.opened.network, trouble));
      }
      const result = await access.renewed(row.account, state.opened.account.tokens);
      const opened = await openedOrEnd({ ...row, sent: state.sent, begunAt: null }, result, state.count);
      if (opened) return sendNextPart({ ...state, opened, hasRefreshedTokens: true });
      return;
    }
    const waitMs = waitFor(trouble, tries, clock.now());
    if (waitMs === undefined) return endState(state, refused(state.opened.network, trouble));
    const isLong = ageMs(row, state.since) + waitMs > longestWaitMs;
    if (isLong && (trouble.until === undefined || ageMs(row, row.startedAt) + waitMs > graceMs)) {
      return endState(state, refused(state.opened.network, trouble));
    }
    const again = trouble.isKeySpent ? await withNewKey(state) : state;
    if (again === undefined) return;
    if (isLong) await waitLong(again, trouble, waitMs);
    else await pause({ ...again, tries: tries + 1 }, 'Retrying', { prepared: null, isBegun: false, inMs: waitMs });
  };

  /** The progress shows this wait, where a person can give the send up. After it the send starts over. */
  const waitLong = async (state: OpenSend, trouble: NetworkTrouble, inMs: number): Promise<void> => {
    const wait: LongWait = { waitsFor: whatHappened(trouble, state.opened.network) };
    await pause({ ...state, tries: 0 }, 'Retrying', { prepared: wait, isBegun: false, inMs, shouldStartOver: true });
  };

  return { sendNextPart, commit, recordPart };
};

const tookTooLong = 'The network worked on the media for more than an hour. Publish again, perhaps with smaller files.';
/** The lease of a row whose next part follows at once. The lease is extended while that part is sent. */
const longestStepMs = 60_000;

/** The network refused it, or never got it: nothing is public. */
const isDefinite = ({ kind, reached }: NetworkTrouble) => !reached || (kind !== 'temporary' && kind !== 'unknown');
