import { setTimeout as sleep } from 'node:timers/promises';
import { instantOf } from '#contracts/instant';
import { minuteMs } from '#contracts/time';
import type { Confirmation, Sent } from '#server/networks/network';
import type { NetworkClocks } from '#server/networks/network-clocks';
import { asTrouble, type NetworkTrouble } from '#server/networks/trouble';
import { askAgainMs as nextAskMs, nextStep } from './broken-send.ts';
import {
  begunPartOf,
  type ClaimedRow,
  mayRepeat,
  type OpenSend,
  type SendingParts,
  sendingOf,
  serverOf,
} from './open-send.ts';
import type { NewStep } from './progress.ts';
import { mayStillAppear, notSent, refused, uncertain } from './result.ts';
import type { SendClock } from './send-clock.ts';
import { isSameContent, markOf, withFirstMark } from './send-mark.ts';
import type { PartSender } from './send-part.ts';
import type { SendRecord } from './send-record.ts';
import { askAgainMs, longestWaitMs, settleMs, waitFor } from './send-waits.ts';

/** Networks keep idempotency keys for one hour. */
const repeatWithinMs = 45 * minuteMs;
/** A larger difference is a clock step: a mark commits within seconds, and a clock that is being slewed differs by less. */
const clockStepMs = 30_000;
/** Clocks that were stepped further than this, all of them and in the same direction, are not reckoned with. */
const widestStepMs = 15 * minuteMs;
/** Smaller differences between a network's clock and the database's are noise. */
const clockToleranceMs = 5_000;

type ConfirmParts = Pick<SendingParts, 'clock' | 'readPicture'> & {
  networkClocks: NetworkClocks;
  sendClock: SendClock;
};

/**
 * Looks for the post from the moment it was sent, by the network's clock. The mark has that moment if the network had
 * answered the sending process before. Otherwise it is the database's moment, and the difference of the two clocks now:
 * if that cannot be known either, a post that is not found may still be there.
 */
const createConfirm = ({ clock, readPicture, networkClocks, sendClock }: ConfirmParts) => {
  const { nowMs, sentForMs } = sendClock;

  /** Whether the clock of the database, of the sending process or of this process was stepped since the send. */
  const isClockStepped = async (row: ClaimedRow) => {
    const { sentAt, begunAt = row.begunAt } = markOf(row);
    if (begunAt === null || sentAt === undefined) return false;
    const thenAheadMs = Date.parse(begunAt) - Date.parse(sentAt);
    const isStepped = () => Math.abs(nowMs(row) - clock.now().getTime() - thenAheadMs) > clockStepMs;
    // Every process learns of a moved sandbox clock a moment later.
    for (let tries = 0; tries < 10 && isStepped(); tries++) await sleep(100);
    return isStepped();
  };

  return async (state: OpenSend): Promise<Confirmation<unknown> | typeof notFound> => {
    const { opened, row } = state;
    const sending = sendingOf(state, readPicture, begunPartOf(state));
    const lookFrom = (sinceMs: number) =>
      opened.network.confirm(opened.site, { ...sending, since: new Date(sinceMs) }, row.prepared);
    const { sentAtNetwork } = markOf(row);
    const sinceSentMs = sentForMs(row.key);
    const sentMs = sinceSentMs === undefined ? sending.since.getTime() : nowMs(row) - sinceSentMs;
    const firstMs = sentAtNetwork === undefined ? sentMs : Date.parse(sentAtNetwork);
    const confirmation = await lookFrom(firstMs);
    if (confirmation.is !== 'absent') return confirmation;
    const networkMs = networkClocks.nowMs(serverOf(row));
    if (sentAtNetwork === undefined) {
      if (networkMs === undefined || (sinceSentMs === undefined && (await isClockStepped(row)))) return notFound;
    }
    // The network's clock may have been set back since the mark, so the earlier moment counts.
    const otherMs = networkMs === undefined ? firstMs : sentMs + networkMs - nowMs(row);
    const isOther =
      sentAtNetwork === undefined
        ? Math.abs(otherMs - firstMs) > clockToleranceMs
        : otherMs < firstMs - clockToleranceMs;
    const other = isOther ? await lookFrom(otherMs) : confirmation;
    if (other.is !== 'absent' || sentAtNetwork !== undefined || sinceSentMs !== undefined) return other;
    // All clocks may have been stepped alike, which nobody can see. What is found only now may be an older post with the
    // same text.
    const earlier = await lookFrom(Math.min(firstMs, otherMs) - widestStepMs);
    return earlier.is === 'absent' ? earlier : notFound;
  };
};

/** Asks the network about a send whose outcome is unknown, and acts on its answer. */
export const createLostAnswer = ({
  access,
  clock,
  networkClocks,
  sendClock,
  record,
  sender,
  readPicture,
  report,
}: Pick<SendingParts, 'access' | 'report'> &
  ConfirmParts & {
    record: SendRecord;
    sender: PartSender;
  }) => {
  const { endState, pause, openedOrEnd, withNewKey } = record;
  const { commit, recordPart, sendNextPart } = sender;
  const { ageMs, sentForMs, lostForMs } = sendClock;
  const confirm = createConfirm({ clock, readPicture, networkClocks, sendClock });

  const ask = async (state: OpenSend, begunAt: string): Promise<void> => {
    const { row } = state;
    sendClock.startLost(row.key);
    const recordFound = (sent: Sent) =>
      recordPart(state, { ...sent, publishedAt: publishedAtOf(begunAt, sent.publishedAt) });
    let confirmation: Confirmation<unknown> | typeof notFound;
    try {
      confirmation = await confirm(state);
    } catch (error) {
      return confirmFailed(state, asTrouble(error, report));
    }
    switch (confirmation.is) {
      case 'sent':
        return recordFound(confirmation.sent);
      case 'waiting': {
        const { out, prepared } = confirmation;
        if (ageMs(row, begunAt) > longestWaitMs) return out ? recordFound(out) : endState(state, uncertain);
        await askLater(state, askAgainMs(confirmation), { prepared, step: 'Processing' });
        return;
      }
      case 'unknown':
        return endState(state, uncertain);
      case 'absent':
      case 'notFound': {
        const isAbsent = confirmation.is === 'absent';
        return row.result === null ? handleAbsent(state, begunAt, isAbsent) : handleStillAbsent(state, isAbsent);
      }
    }
  };

  const askLater = (
    state: OpenSend,
    inMs: number,
    { prepared = state.row.prepared, step = 'Confirming' }: { prepared?: unknown; step?: NewStep['step'] } = {},
  ) => pause(state, step, { prepared, isBegun: true, inMs, mayRepeat: mayRepeat(state.row) });

  const handleAbsent = async (state: OpenSend, begunAt: string, isAbsent: boolean): Promise<void> => {
    const { row, opened } = state;
    const { network } = opened;
    const part = opened.network.parts(state.post)[state.sent.length];
    const sending = part && sendingOf(state, readPicture, part);
    const isSame = sending !== undefined && isSameContent(row, sending);
    const sinceSentMs = Math.max(ageMs(row, begunAt, row.heldAtMostMs), sentForMs(row.key) ?? 0);
    const brokenForMs = lostForMs(row);
    const holdLeftMs = network.holdMs - brokenForMs;
    const step = nextStep({
      settleLeftMs: settleMs - ageMs(row, row.lostAt ?? begunAt),
      holdLeftMs,
      lostForMs: brokenForMs,
      isAbsent,
      isRepeatable: isSame && sinceSentMs < repeatWithinMs && network.isRepeatable?.(sending) === true,
      mayRepeat: row.repeat !== 'done' && (row.again || mayRepeat(row)),
      isPublishedAgain: row.again,
    });
    switch (step.is) {
      case 'ask':
        await askLater(state, step.inMs);
        return;
      case 'repeat': {
        if (sending === undefined) return endState(state, uncertain);
        const { body } = sending.part;
        return commit(state, sending, { prepared: withFirstMark(row), body, isRepeat: true });
      }
      case 'sendAnew':
        return sendAnew(state, isSame);
      case 'mayStillAppear':
        return endState(state, mayStillAppear(network, holdLeftMs), { askInMs: step.askInMs });
      case 'notSent':
        return endState(state, notSent(network, row), { isMaybePublic: true });
      case 'uncertain':
        return endState(state, uncertain);
    }
  };

  /** The post has ended as uncertain: only its result changes. */
  const handleStillAbsent = async (state: OpenSend, isAbsent: boolean): Promise<void> => {
    const { row, opened } = state;
    const brokenForMs = lostForMs(row);
    const holdLeftMs = opened.network.holdMs - brokenForMs;
    if (holdLeftMs <= 0) {
      return endState(state, isAbsent ? notSent(opened.network, row) : uncertain, { isMaybePublic: true });
    }
    await askLater(state, nextAskMs({ holdLeftMs, lostForMs: brokenForMs }));
  };

  /**
   * Reuses the key if the content is the same: if the network accepted the first request after all, no second post
   * appears.
   */
  const sendAnew = async (state: OpenSend, isSame: boolean): Promise<void> => {
    const row = { ...state.row, prepared: null, begunAt: null };
    if (isSame) return sendNextPart({ ...state, row });
    const renewed = await withNewKey({ ...state, row });
    if (renewed) return sendNextPart(renewed);
  };

  const confirmFailed = async (state: OpenSend, trouble: NetworkTrouble): Promise<void> => {
    const { row, tries } = state;
    if (trouble.isVerdict) return endState(state, refused(state.opened.network, trouble));
    if (trouble.kind === 'token' && !state.hasRefreshedTokens) {
      const result = await access.renewed(row.account, state.opened.account.tokens);
      const opened = await openedOrEnd(row, result, state.count);
      if (opened && row.begunAt !== null) return ask({ ...state, opened, hasRefreshedTokens: true }, row.begunAt);
      return;
    }
    if (trouble.kind === 'token') await access.refuse(row.account, state.opened.account.tokens);
    const waitMs =
      trouble.kind === 'token' || trouble.kind === 'permission' ? undefined : waitFor(trouble, tries, clock.now());
    if (waitMs === undefined || ageMs(row, state.since) + waitMs > longestWaitMs) return endState(state, uncertain);
    await askLater({ ...state, tries: tries + 1 }, waitMs);
  };

  return ask;
};

/** The network shows no such post, and our clocks do not tell from when on it had to look. */
const notFound = { is: 'notFound' } as const;

/** The network's own time if it is plausible: after the send began, and not much later. */
const publishedAtOf = (begunAt: string, reported: string | undefined) => {
  const afterMs = Date.parse(reported ?? '') - Date.parse(begunAt);
  if (reported === undefined || !(afterMs >= 0 && afterMs < longestWaitMs)) return begunAt;
  return instantOf(new Date(reported));
};
