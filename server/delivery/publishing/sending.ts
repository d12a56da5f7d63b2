import { setTimeout as sleep } from 'node:timers/promises';
import { instantOf } from '#contracts/instant';
import type { Result } from '#contracts/posts';
import { minuteMs } from '#contracts/time';
import { type Clock, type Stopwatch, startSteadyStopwatch } from '#server/base/clock';
import { sha256 } from '#server/base/sha256';
import type { Access, AccountAccess, OpenAccess } from '#server/connecting/accounts/access';
import type { FittedFiles } from '#server/media/fitted-files';
import type { MediaLibrary } from '#server/media/library';
import type {
  Confirmation,
  Network,
  NetworkItem,
  NetworkPost,
  PublishMedia,
  SendEnd,
  Sending,
  Sent,
  Site,
  Waiting,
} from '#server/networks/network';
import { createNetworkClocks } from '#server/networks/network-clocks';
import { askTime } from '#server/networks/network-skew';
import type { Networks } from '#server/networks/registry';
import { asTrouble, NetworkTrouble, whatHappened } from '#server/networks/trouble';
import { problemsOf } from '#server/writing/posts/limits';
import { mediaIn, outgoingTo } from '#server/writing/posts/outgoing';
import { askAgainMs as nextAskMs, nextStep } from './broken-send.ts';
import { type NewStep, watchPreparation } from './progress.ts';
import {
  accountGone,
  failed,
  givenUp,
  mayStillAppear,
  missedWhileWaiting,
  needsReconnect,
  notSent,
  refused,
  restMissed,
  restNotSent,
  uncertain,
  withSent,
} from './result.ts';
import type { ClaimKey, EndedSend, Progress, PublicCall, SendRow } from './sending-store.ts';

/** Retry delays after temporary trouble. After the last one the send has failed. */
const retryDelaysMs = [5_000, 30_000, 2 * minuteMs, 10 * minuteMs];
/**
 * The longest wait for a network that is rate limiting, or processing the post. When the network names a time to retry,
 * LATE_GRACE is the limit instead.
 */
const longestWaitMs = 60 * minuteMs;
const shortestWaitMs = minuteMs;
/** Bounds for polling a network that is still processing, whatever interval it names. */
const soonestMs = 200;
const latestMs = 5 * minuteMs;
/** A broken request may still be running at the network, so wait this long before asking whether the post exists. */
const settleMs = minuteMs;
/** Networks keep idempotency keys for one hour. */
const repeatWithinMs = 45 * minuteMs;
/** A larger difference is a clock step: a mark commits within seconds, and a clock that is being slewed differs by less. */
const clockStepMs = 30_000;
/** Clocks that were stepped further than this, all of them and in the same direction, are not reckoned with. */
const widestStepMs = 15 * minuteMs;
/** Smaller differences between a network's clock and the database's are noise. */
const clockToleranceMs = 5_000;
/** How many sends a process keeps its own times for. */
const maxTracked = 10_000;

/**
 * A claimed row. `heldMs` is a lower bound of the time since the claim, because its clock stops while the machine sleeps;
 * `heldAtMostMs` is an upper bound. Waiting for a request to settle needs the lower, checking for lateness the upper.
 */
export interface ClaimedRow extends SendRow {
  heldMs(): number;
  heldAtMostMs: Stopwatch;
  /** Frees the network's slot for the next post, because only the result is left to record. */
  releaseSlot(): void;
}

export interface SendingParts {
  readonly access: AccountAccess;
  readonly library: MediaLibrary;
  readonly fittedFiles: FittedFiles;
  readonly networks: Networks;
  readonly clock: Clock;
  readonly startStopwatch: () => Stopwatch;
  readonly graceMs: number;
  /** A send must be written within this time after it was marked as begun. Later, another process may hold the row. */
  readonly sendWithinMs: number;
  /** Waits for a slot to mark a send as begun and write it. Resolves with a function that releases the slot. */
  readonly waitForMarkSlot: (row: SendRow) => Promise<() => void>;
  /** When it was marked; undefined when another process holds the row. */
  readonly markBegun: (row: SendRow, call: PublicCall) => Promise<string | undefined>;
  readonly save: (progress: Progress) => Promise<{ key: string; since: string; isHeld: boolean } | undefined>;
  /** Another key for the same part; undefined when another process holds the row. */
  readonly renewKey: (claimKey: ClaimKey) => Promise<{ key: string; since: string } | undefined>;
  readonly end: (ended: EndedSend & { readonly row: ClaimedRow }) => Promise<void>;
  /** Called right before the request that makes something public. */
  readonly onSending: (row: SendRow) => void;
  /** Shows a step to people who watch. Returns at once and never throws. */
  readonly note: (row: SendRow, step: NewStep) => void;
  readonly readPicture: (picture: string) => Promise<Buffer | undefined>;
  readonly report: (error: unknown) => void;
}

export type SendOne = ReturnType<typeof createSendOne>;

/** Sends one post to one account, and records the progress in its row. */
export const createSendOne = ({ access, library, fittedFiles, networks, clock, graceMs, ...parts }: SendingParts) => {
  /** The time by the database's clock, like all instants of the row. */
  const nowMs = ({ claimedAt, heldMs }: ClaimedRow, since: Stopwatch = heldMs) => Date.parse(claimedAt) + since();
  const ageMs = (row: ClaimedRow, instant: string, since: Stopwatch = row.heldMs) =>
    nowMs(row, since) - Date.parse(instant);

  /**
   * By key: when this process first sent a part, and when it learned that the response was lost. Measured here too,
   * because the instants in the row are wrong after a step of the database's clock.
   */
  const networkClocks = createNetworkClocks(clock);
  const sentSince = new Map<string, Stopwatch>();
  const lostSince = new Map<string, Stopwatch>();
  const startTimer = (times: Map<string, Stopwatch>, key: string) => {
    if (times.has(key)) return;
    if (times.size >= maxTracked) times.delete(times.keys().next().value ?? '');
    times.set(key, startSteadyStopwatch(clock));
  };
  const stopTimers = (key: string) => {
    sentSince.delete(key);
    lostSince.delete(key);
  };
  /** A send in progress may take the usual waits and retries, even if the grace for an outage is shorter. */
  const maxAgeMs = (row: ClaimedRow) => (isInProgress(row) ? Math.max(graceMs, longestWaitMs) : graceMs);
  const lostForMs = (row: ClaimedRow) => {
    if (row.lostAt === null) return 0;
    return Math.min(ageMs(row, row.lostAt), lostSince.get(row.key)?.() ?? Number.POSITIVE_INFINITY);
  };

  /** The progress of a claimed row. */
  interface State {
    readonly row: ClaimedRow;
    readonly opened: OpenAccess;
    readonly post: NetworkPost<PublishMedia>;
    readonly count: number;
    readonly sent: readonly Sent[];
    readonly key: string;
    readonly since: string;
    readonly tries: number;
    /** Tokens were already refreshed once for this send; do not refresh again. */
    readonly hasRefreshedTokens: boolean;
  }

  const end = (
    row: ClaimedRow,
    sent: readonly Sent[],
    outcome: Omit<Result, 'accountId'>,
    {
      isRead = false,
      isMaybePublic = outcome.uncertain,
      askInMs = null,
    }: Partial<Pick<EndedSend, 'isRead' | 'isMaybePublic' | 'askInMs'>> = {},
  ) =>
    parts.end({
      row,
      ...claimKeyOf(row),
      sent,
      result: { accountId: row.accountId, provider: networks.get(row.account.network).name, ...outcome },
      isMaybePublic,
      isRead,
      askInMs,
    });

  const endState = (
    { row, sent, count }: State,
    outcome: Omit<Result, 'accountId'>,
    how?: Partial<Pick<EndedSend, 'isMaybePublic' | 'askInMs'>>,
  ) => end(row, sent, withSent(outcome, sent, count), how);

  const note = ({ row, sent, count }: Pick<State, 'row' | 'sent' | 'count'>, step: NewStep) =>
    parts.note(row, { ...step, ...(count > 1 && { part: { number: sent.length + 1, count } }) });
  const noteWait = (state: Parameters<typeof note>[0], step: NewStep['step'], inMs: number) =>
    note(state, { step, at: instantOf(new Date(nowMs(state.row) + inMs)) });

  /** Releases the row, which is due again in `inMs`. */
  const pause = async (
    state: State,
    step: NewStep['step'],
    how: Pick<Progress, 'prepared' | 'isBegun' | 'inMs'> & Partial<Pick<Progress, 'mayRepeat' | 'shouldStartOver'>>,
  ) => {
    const { row, sent, tries } = state;
    const defaults = { hasNextPart: false, mayRepeat: false, shouldStartOver: false };
    const saved = await parts.save({ ...claimKeyOf(row), sent, tries, ...defaults, ...how });
    if (saved) noteWait(state, step, how.inMs);
  };

  const partOf = ({ opened, post, sent }: State): NetworkItem<PublishMedia> => {
    const part = opened.network.parts(post)[sent.length];
    if (part === undefined) throw new Error('All parts are already published.');
    return part;
  };

  /** With the text that was sent, even if the post was edited since. */
  const begunPartOf = ({ opened, post, sent, row }: State): NetworkItem<PublishMedia> => {
    const part = opened.network.parts(post)[sent.length] ?? { body: '', media: [] };
    return { ...part, body: row.begunBody ?? part.body };
  };

  const sendingOf = (state: State, part = partOf(state)): Sending => {
    const { opened, post, sent, key, since } = state;
    return {
      account: opened.account,
      post,
      index: sent.length,
      part,
      out: sent,
      key: keyOf(key, sent.length),
      firstTriedAt: new Date(since),
      since: new Date(since),
      readPicture: parts.readPicture,
    };
  };

  /** Reports a file that cannot be read, even if the network then continues without it. */
  const reportingReads = (file: PublishMedia): PublishMedia => ({
    ...file,
    read: async (range) => {
      try {
        return await file.read(range);
      } catch (error) {
        throw asTrouble(error, parts.report);
      }
    },
  });

  /** The opened account, or undefined after the row was ended or paused. */
  const openedOrEnd = async (row: ClaimedRow, result: Access, count: number): Promise<OpenAccess | undefined> => {
    if (result.is === 'open') return { ...result, site: networkClocks.watch(serverOf(row), result.site) };
    const unchanged = {
      ...claimKeyOf(row),
      sent: row.sent,
      prepared: row.prepared,
      isBegun: row.begunAt !== null,
      mayRepeat: mayRepeat(row),
      hasNextPart: false,
      shouldStartOver: false,
    };
    if (result.is === 'busy') await parts.save({ ...unchanged, tries: row.tries, inMs: result.forMs });
    else if (result.is === 'trouble' && row.tries < retryDelaysMs.length) {
      const inMs = retryDelaysMs[row.tries] ?? 0;
      await parts.save({ ...unchanged, tries: row.tries + 1, inMs });
      noteWait({ row, sent: row.sent, count }, row.begunAt === null ? 'Retrying' : 'Confirming', inMs);
    } else {
      const outcome = row.begunAt === null ? withoutAccess(networks.get(row.account.network), result) : uncertain;
      await end(row, row.sent, withSent(outcome, row.sent, count));
    }
    return undefined;
  };

  /** SPEC and DECISIONS, never twice: prepared, marked as begun in a row of its own, sent, recorded. */
  const sendNextPart = async (state: State): Promise<void> => {
    const { opened, row } = state;
    const { network, site } = opened;
    if (state.sent.length === state.count) return finish(state);
    const sending = sendingOf(state);
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

  const commit = async (state: State, sending: Sending, call: PublicCall): Promise<void> => {
    const { opened, row } = state;
    const { prepared, isRepeat } = call;
    const releaseMarkSlot = await parts.waitForMarkSlot(row);
    let answer: SendEnd<unknown>;
    let begunAt: string | undefined;
    try {
      // A repeat does not restart the timer: the network may have the post since the first request, which another
      // process may have sent.
      if (!isRepeat) startTimer(sentSince, state.key);
      const sinceBegun = parts.startStopwatch();
      begunAt = await mark(state, call);
      if (begunAt === undefined) return;
      if (state.sent.length === 0 && !isRepeat) parts.onSending(row);
      const onWrite = () => {
        releaseMarkSlot();
        note(state, { step: 'Sending', awaitsAnswer: true });
      };
      answer = await opened.network.send(guarded(opened.site, sinceBegun, onWrite), sending, prepared);
    } catch (error) {
      const trouble = asTrouble(error, parts.report);
      // The network may refuse the repeated request because it accepted the first one.
      if (!isRepeat && isDefinite(trouble)) return handleTrouble(state, trouble);
      startTimer(lostSince, state.key);
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
  const mark = async (state: State, call: PublicCall): Promise<string | undefined> => {
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

  /** A site that stops writing when too much time has passed since the mark, even in the middle of a long body. */
  const guarded = (site: Site, sinceBegun: Stopwatch, onFirstWrite: () => void): Site => {
    let sinceWritten = sinceBegun;
    let hasWritten = false;
    const noteWrite = (may: boolean) => {
      if (may) {
        sinceWritten = parts.startStopwatch();
        if (!hasWritten) onFirstWrite();
        hasWritten = true;
      }
      return may;
    };
    const guard = {
      mayBegin: () => noteWrite(sinceBegun() < parts.sendWithinMs),
      mayContinue: () => noteWrite(sinceWritten() < parts.sendWithinMs),
    };
    return {
      ...site,
      request: async (request) => {
        const hadWritten = hasWritten;
        try {
          return await site.request({ ...request, guard });
        } catch (error) {
          // This request never reached the network, but an earlier one of the same send was written.
          if (!hadWritten || !(error instanceof NetworkTrouble) || error.reached) throw error;
          const { networkCode } = error;
          throw new NetworkTrouble('unknown', error.message, { ...(networkCode !== undefined && { networkCode }) });
        }
      },
    };
  };

  const recordPart = async (state: State, part: Sent): Promise<void> => {
    const sent = [...state.sent, part];
    stopTimers(state.key);
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

  const finish = ({ row, opened, post, sent }: State) => {
    const [first] = sent;
    const { metrics } = opened.network.constraintsFor(post, opened.account.facts);
    const isRead = metrics.length > 0 && first?.withoutStatistics !== true;
    const outcome = { ok: true, uncertain: false, publishedAt: first?.publishedAt ?? row.startedAt };
    return end(row, sent, withSent(outcome, sent, sent.length), { isRead });
  };

  /** Nothing is public: retry later, or end with the reason. */
  const handleTrouble = async (state: State, trouble: NetworkTrouble): Promise<void> => {
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
    const waitMs = waitFor(trouble, tries);
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
  const waitLong = async (state: State, trouble: NetworkTrouble, inMs: number): Promise<void> => {
    const wait: LongWait = { waitsFor: whatHappened(trouble, state.opened.network) };
    await pause({ ...state, tries: 0 }, 'Retrying', { prepared: wait, isBegun: false, inMs, shouldStartOver: true });
  };

  /** Undefined when another process holds the row. */
  const withNewKey = async (state: State): Promise<State | undefined> => {
    const renewed = await parts.renewKey(claimKeyOf(state.row));
    return renewed && { ...state, ...renewed, row: { ...state.row, key: renewed.key } };
  };

  const waitFor = ({ kind, until, reached }: NetworkTrouble, tries: number): number | undefined => {
    if (kind === 'rateLimited') {
      const requestedMs = until ? until.getTime() - clock.now().getTime() : shortestWaitMs;
      return Math.max(requestedMs, retryDelaysMs[tries] ?? longestWaitMs);
    }
    return kind === 'temporary' || kind === 'unknown' || !reached ? retryDelaysMs[tries] : undefined;
  };

  /** Asks the network about a send whose outcome is unknown. */
  const ask = async (state: State, begunAt: string): Promise<void> => {
    const { row } = state;
    startTimer(lostSince, row.key);
    const recordFound = (sent: Sent) =>
      recordPart(state, { ...sent, publishedAt: publishedAtOf(begunAt, sent.publishedAt) });
    let confirmation: Confirmation<unknown> | typeof notFound;
    try {
      confirmation = await confirm(state);
    } catch (error) {
      return confirmFailed(state, asTrouble(error, parts.report));
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

  /**
   * Looks for the post from the moment it was sent, by the network's clock. The mark has that moment if the network had
   * answered the sending process before. Otherwise it is the database's moment, and the difference of the two clocks now:
   * if that cannot be known either, a post that is not found may still be there.
   */
  const confirm = async (state: State): Promise<Confirmation<unknown> | typeof notFound> => {
    const { opened, row } = state;
    const sending = sendingOf(state, begunPartOf(state));
    const lookFrom = (sinceMs: number) =>
      opened.network.confirm(opened.site, { ...sending, since: new Date(sinceMs) }, row.prepared);
    const { sentAtNetwork } = markOf(row);
    const sentForMs = sentSince.get(row.key)?.();
    const sentMs = sentForMs === undefined ? sending.since.getTime() : nowMs(row) - sentForMs;
    const firstMs = sentAtNetwork === undefined ? sentMs : Date.parse(sentAtNetwork);
    const confirmation = await lookFrom(firstMs);
    if (confirmation.is !== 'absent') return confirmation;
    const networkMs = networkClocks.nowMs(serverOf(row));
    if (sentAtNetwork === undefined) {
      if (networkMs === undefined || (sentForMs === undefined && (await isClockStepped(row)))) return notFound;
    }
    // The network's clock may have been set back since the mark, so the earlier moment counts.
    const otherMs = networkMs === undefined ? firstMs : sentMs + networkMs - nowMs(row);
    const isOther =
      sentAtNetwork === undefined
        ? Math.abs(otherMs - firstMs) > clockToleranceMs
        : otherMs < firstMs - clockToleranceMs;
    const other = isOther ? await lookFrom(otherMs) : confirmation;
    if (other.is !== 'absent' || sentAtNetwork !== undefined || sentForMs !== undefined) return other;
    // All clocks may have been stepped alike, which nobody can see. What is found only now may be an older post with the
    // same text.
    const earlier = await lookFrom(Math.min(firstMs, otherMs) - widestStepMs);
    return earlier.is === 'absent' ? earlier : notFound;
  };

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

  const askLater = (
    state: State,
    inMs: number,
    { prepared = state.row.prepared, step = 'Confirming' }: { prepared?: unknown; step?: NewStep['step'] } = {},
  ) => pause(state, step, { prepared, isBegun: true, inMs, mayRepeat: mayRepeat(state.row) });

  const handleAbsent = async (state: State, begunAt: string, isAbsent: boolean): Promise<void> => {
    const { row, opened } = state;
    const { network } = opened;
    const part = opened.network.parts(state.post)[state.sent.length];
    const sending = part && sendingOf(state, part);
    const isSame = sending !== undefined && isSameContent(row, sending);
    const sentForMs = Math.max(ageMs(row, begunAt, row.heldAtMostMs), sentSince.get(row.key)?.() ?? 0);
    const brokenForMs = lostForMs(row);
    const holdLeftMs = network.holdMs - brokenForMs;
    const step = nextStep({
      settleLeftMs: settleMs - ageMs(row, row.lostAt ?? begunAt),
      holdLeftMs,
      lostForMs: brokenForMs,
      isAbsent,
      isRepeatable: isSame && sentForMs < repeatWithinMs && network.isRepeatable?.(sending) === true,
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
  const handleStillAbsent = async (state: State, isAbsent: boolean): Promise<void> => {
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
  const sendAnew = async (state: State, isSame: boolean): Promise<void> => {
    const row = { ...state.row, prepared: null, begunAt: null };
    if (isSame) return sendNextPart({ ...state, row });
    const renewed = await withNewKey({ ...state, row });
    if (renewed) return sendNextPart(renewed);
  };

  const confirmFailed = async (state: State, trouble: NetworkTrouble): Promise<void> => {
    const { row, tries } = state;
    if (trouble.isVerdict) return endState(state, refused(state.opened.network, trouble));
    if (trouble.kind === 'token' && !state.hasRefreshedTokens) {
      const result = await access.renewed(row.account, state.opened.account.tokens);
      const opened = await openedOrEnd(row, result, state.count);
      if (opened && row.begunAt !== null) return ask({ ...state, opened, hasRefreshedTokens: true }, row.begunAt);
      return;
    }
    if (trouble.kind === 'token') await access.refuse(row.account, state.opened.account.tokens);
    const waitMs = trouble.kind === 'token' || trouble.kind === 'permission' ? undefined : waitFor(trouble, tries);
    if (waitMs === undefined || ageMs(row, state.since) + waitMs > longestWaitMs) return endState(state, uncertain);
    await askLater({ ...state, tries: tries + 1 }, waitMs);
  };

  return async (row: ClaimedRow): Promise<void> => {
    const network = networks.get(row.account.network);
    const originals = await library.forPublishing(row.workspaceId, mediaIn(row.versions));
    const { fitted, lost } = await fittedFiles.forPublishing(row.workspaceId, row.fittedIds ?? [], originals);
    const media = new Map([...originals, ...fitted].map(([id, file]) => [id, reportingReads(file)]));
    const { post, missing } = outgoingTo(network, row.versions, row.accountId, media, row.linkCards ?? []);
    const count = network.parts(post).length;
    const mayBeOut = row.begunAt !== null;
    const endEarly = (outcome: Omit<Result, 'accountId'>) => end(row, row.sent, withSent(outcome, row.sent, count));
    if (row.account.disconnectedAt !== null) return endEarly(mayBeOut ? uncertain : accountGone);
    if (!mayBeOut && isGivenUp(row)) return endEarly(givenUp(network));
    if (!mayBeOut && ageMs(row, row.startedAt) > maxAgeMs(row)) {
      return endEarly(row.sent.length > 0 ? restMissed : missedWhileWaiting);
    }
    const opened = await openedOrEnd(row, await access.open(row.account), count);
    if (opened === undefined) return;
    const problems = [...missing, ...(await problemsOf(network, post, opened.account.facts))];
    const state: State = {
      row,
      opened,
      post,
      count,
      sent: row.sent,
      key: row.key,
      since: row.since,
      tries: row.tries,
      hasRefreshedTokens: false,
    };
    if (row.begunAt !== null) return ask(state, row.begunAt);
    if (row.result !== null) return endState(state, restNotSent);
    if (lost.length > 0) return endState(state, failed('invalid', fittedFileLost));
    if (problems[0])
      return endState(state, failed('invalid', `${problems[0].message} Change the post, then publish again.`));
    return sendNextPart(state);
  };
};

const fittedFileLost =
  'The file of a picture that was fitted to the network is gone, and it cannot be made again exactly as it was shown. Look at the preview, then publish again.';
const tookTooLong = 'The network worked on the media for more than an hour. Publish again, perhaps with smaller files.';
/** The network shows no such post, and our clocks do not tell from when on it had to look. */
const notFound = { is: 'notFound' } as const;
/** The lease of a row whose next part follows at once. The lease is extended while that part is sent. */
const longestStepMs = 60_000;

/** NaN becomes the shortest interval. */
const askAgainMs = ({ forMs }: Waiting<unknown>) => (forMs > soonestMs ? Math.min(forMs, latestMs) : soonestMs);

const claimKeyOf = ({ workspaceId, postId, accountId, claim, key }: SendRow) => ({
  workspaceId,
  postId,
  accountId,
  claim,
  key,
});

/** The network answered 503, or the sending process never recorded an answer; and the request was not repeated yet. */
const mayRepeat = ({ begunAt, lostAt, repeat }: SendRow) =>
  repeat === 'may' || (repeat === null && begunAt !== null && lostAt === null);

/** Stored in `prepared`, alongside the network's own data. Rows of an earlier release have none. */
interface Mark {
  /** A hash of what was sent, because its key must never be used for other content. */
  readonly print?: string;
  /** By the clock of the sending process. */
  readonly sentAt?: string;
  /** By the network's clock; absent when the network had not answered that process yet. */
  readonly sentAtNetwork?: string;
  /**
   * When the first request was marked, by the database's clock. Set once the request was repeated, because `begun_at`
   * is then the time of the repeat.
   */
  readonly begunAt?: string;
}

/** Stored in `prepared` while a send waits for longer than `longestWaitMs`. */
export interface LongWait {
  /** The reason, as shown to people. */
  readonly waitsFor: string;
  /** A person gave it up. */
  readonly isGivenUp?: true;
}

/** The server that answers for an account: where everybody can run one, networks have many. */
const serverOf = ({ account: { network, sandbox, server } }: SendRow) => `${network} ${sandbox} ${server}`;

const longWaitOf = ({ prepared }: SendRow) =>
  typeof prepared === 'object' && prepared !== null && 'waitsFor' in prepared
    ? (prepared as unknown as LongWait)
    : undefined;

const preparedIn = (row: SendRow): unknown => (longWaitOf(row) ? undefined : (row.prepared ?? undefined));

/** A process has worked on it. */
const isInProgress = ({ tries, prepared, sent }: SendRow) => tries > 0 || prepared !== null || sent.length > 0;

const isGivenUp = (row: SendRow) => longWaitOf(row)?.isGivenUp === true;

const withMark = (prepared: unknown, sending: Sending, now: Date, networkMs: number | undefined): unknown => {
  if (typeof prepared !== 'object' || prepared === null) return prepared;
  const mark: Mark = {
    print: fingerprintOf(sending),
    sentAt: now.toISOString(),
    ...(networkMs !== undefined && { sentAtNetwork: new Date(networkMs).toISOString() }),
  };
  return { ...prepared, ...mark };
};

/** For a repeated request: keeps the times of the first one, so that a clock step between the two is still noticed. */
const withFirstMark = ({ prepared, begunAt }: SendRow): unknown =>
  typeof prepared === 'object' && prepared !== null ? { begunAt, ...prepared } : prepared;

const markOf = ({ prepared }: SendRow): Mark => (prepared ?? {}) as Mark;

const isSameContent = (row: SendRow, sending: Sending) => {
  const { print } = markOf(row);
  return print === undefined ? row.begunBody === sending.part.body : print === fingerprintOf(sending);
};

/** Covers everything that a part sends. A fitted picture counts by its own id. */
const fingerprintOf = ({ part, post }: Sending) => {
  const { body, media } = part;
  const files = Object.entries(post.optionFiles ?? {}).map(([key, file]) => [key, file.id]);
  const content = [body, media.map(({ id, alt = '' }) => [id, alt]), Object.entries(post.options).sort(), files.sort()];
  return sha256(JSON.stringify(content), 'hex');
};

const withoutAccess = (network: Network, result: Exclude<Access, { is: 'open' | 'busy' }>) =>
  result.is === 'trouble' ? refused(network, result.trouble) : needsReconnect(network);

/** The network refused it, or never got it: nothing is public. */
const isDefinite = ({ kind, reached }: NetworkTrouble) => !reached || (kind !== 'temporary' && kind !== 'unknown');

/** The network's own time if it is plausible: after the send began, and not much later. */
const publishedAtOf = (begunAt: string, reported: string | undefined) => {
  const afterMs = Date.parse(reported ?? '') - Date.parse(begunAt);
  if (reported === undefined || !(afterMs >= 0 && afterMs < longestWaitMs)) return begunAt;
  return instantOf(new Date(reported));
};

/** A UUID for each part, derived from the row's key. */
const keyOf = (key: string, index: number) => {
  const hex = sha256(`${key} ${index}`, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};
