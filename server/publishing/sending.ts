import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { instantOf } from '#contracts/instant';
import type { Result } from '#contracts/posts';
import type { Access, AccountAccess, OpenAccess } from '#server/accounts/access';
import { type Clock, type Stopwatch, startSteadyStopwatch } from '#server/clock';
import type { MediaLibrary } from '#server/media/library';
import type { Renditions } from '#server/media/renditions';
import { watchClock } from '#server/networks/clock-difference';
import {
  type Confirmation,
  type Network,
  type NetworkItem,
  type NetworkPost,
  type PublishMedia,
  type SendEnd,
  type Sending,
  type Sent,
  type Site,
  unknown,
  type Waiting,
} from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import { asTrouble, NetworkTrouble, whatHappened } from '#server/networks/trouble';
import { problemsOf } from '#server/posts/limits';
import { mediaIn, outgoingTo } from '#server/posts/outgoing';
import { askAgainMs as nextAskMs, nextStep } from './broken-send.ts';
import {
  accountGone,
  failed,
  givenUp,
  mayStillAppear,
  missed,
  needsReconnect,
  notSent,
  refused,
  restMissed,
  restNotSent,
  uncertain,
  withSent,
} from './result.ts';
import type { Begin, Ended, Held, Progress, SendRow } from './store.ts';

const minuteMs = 60_000;
/** Waits before the next tries after temporary trouble. After the last one the send has failed. */
const patienceMs = [5_000, 30_000, 2 * minuteMs, 10 * minuteMs];
/**
 * The longest wait for a network that is rate limiting, or processing the post. Where it names the time at which it goes on,
 * LATE_GRACE is the limit instead.
 */
const longestWaitMs = 60 * minuteMs;
const shortestWaitMs = minuteMs;
/** How soon and how late a network that works on something is asked again, whatever it says. */
const soonestMs = 200;
const latestMs = 5 * minuteMs;
/** A broken request may still be running at the network: only after this long is it asked whether the post exists. */
const settleMs = minuteMs;
/** Networks keep idempotency keys for one hour. */
const repeatWithinMs = 45 * minuteMs;
/** More is a step: the mark of a send is committed within seconds, and clocks that are corrected slowly differ less. */
const clockStepMs = 30_000;
/** For how many broken sends a process remembers when it saw them first. */
const mostRemembered = 10_000;

/**
 * A claimed row, and for how long we have held it: at least, as the clock for that stands still while the machine sleeps,
 * and at most. What has to settle needs the one, what may be too late the other.
 */
export interface HeldRow extends SendRow {
  heldMs(): number;
  heldAtMostMs: Stopwatch;
  /** Its network may get the next post: only the result is still to be recorded. */
  leave(): void;
}

export interface SendingParts {
  readonly access: AccountAccess;
  readonly library: MediaLibrary;
  readonly renditions: Renditions;
  readonly networks: Networks;
  readonly clock: Clock;
  readonly startStopwatch: () => Stopwatch;
  readonly graceMs: number;
  /** Nothing is sent later than this after it was marked as begun: another process may hold the row by then. */
  readonly sendWithinMs: number;
  /** Waits until it may leave at once. Whoever it answers has marked nothing yet, and calls `left` when it has. */
  readonly waitToLeave: (row: SendRow) => Promise<() => void>;
  /** When it was marked; undefined when another process holds the row. */
  readonly markBegun: (row: SendRow, begin: Begin) => Promise<string | undefined>;
  readonly save: (progress: Progress) => Promise<{ key: string; since: string; isHeld: boolean } | undefined>;
  /** Another key for the same part; undefined when another process holds the row. */
  readonly renewKey: (held: Held) => Promise<{ key: string; since: string } | undefined>;
  readonly end: (ended: Ended & { readonly row: HeldRow }) => Promise<void>;
  /** The call that makes something public goes out now. */
  readonly sendingNow: (row: SendRow) => void;
  readonly readPicture: (picture: string) => Promise<Buffer | undefined>;
  readonly report: (error: unknown) => void;
}

export type SendOne = ReturnType<typeof createSendOne>;

/** Sends one post to one account, and records in its row how far that got. */
export const createSendOne = ({ access, library, renditions, networks, clock, graceMs, ...parts }: SendingParts) => {
  /** By the database's clock, as all instants of the row are. */
  const nowMs = ({ claimedAt, heldMs }: HeldRow, since: Stopwatch = heldMs) => Date.parse(claimedAt) + since();
  const ageMs = (row: HeldRow, instant: string, since: Stopwatch = row.heldMs) =>
    nowMs(row, since) - Date.parse(instant);

  /**
   * By key: how long ago this process first sent a part, and since when it has known that the answer is lost. The database's
   * clock may be stepped meanwhile, and then its instants say something else than when they were written.
   */
  const sentSince = new Map<string, Stopwatch>();
  const lostSince = new Map<string, Stopwatch>();
  const remember = (times: Map<string, Stopwatch>, key: string) => {
    if (times.has(key)) return;
    if (times.size >= mostRemembered) times.delete(times.keys().next().value ?? '');
    times.set(key, startSteadyStopwatch(clock));
  };
  const forget = (key: string) => {
    sentSince.delete(key);
    lostSince.delete(key);
  };
  const lostForMs = (row: HeldRow) => {
    if (row.lostAt === null) return 0;
    return Math.min(ageMs(row, row.lostAt), lostSince.get(row.key)?.() ?? Number.POSITIVE_INFINITY);
  };

  /** Where the work on a claimed row stands. */
  interface State {
    readonly row: HeldRow;
    readonly opened: OpenAccess;
    readonly post: NetworkPost<PublishMedia>;
    readonly count: number;
    readonly sent: readonly Sent[];
    readonly key: string;
    readonly since: string;
    readonly tries: number;
    /** Tokens were already refreshed once for this send; do not refresh again. */
    readonly renewed: boolean;
  }

  const end = (
    row: HeldRow,
    sent: readonly Sent[],
    outcome: Omit<Result, 'accountId'>,
    {
      isRead = false,
      maybeOut = outcome.uncertain,
      askInMs = null,
    }: Partial<Pick<Ended, 'isRead' | 'maybeOut' | 'askInMs'>> = {},
  ) =>
    parts.end({
      row,
      ...heldOf(row),
      sent,
      result: { accountId: row.accountId, provider: networks.get(row.account.network).name, ...outcome },
      maybeOut,
      isRead,
      askInMs,
    });

  const endState = (
    { row, sent, count }: State,
    outcome: Omit<Result, 'accountId'>,
    how?: Partial<Pick<Ended, 'maybeOut' | 'askInMs'>>,
  ) => end(row, sent, withSent(outcome, sent, count), how);

  /** Gives the row back until `inMs` have passed. */
  const pause = (
    { row, sent, tries }: State,
    how: Pick<Progress, 'prepared' | 'isBegun' | 'inMs'> & Partial<Pick<Progress, 'mayRepeat' | 'startsOver'>>,
  ) => parts.save({ ...heldOf(row), sent, tries, nextPart: false, mayRepeat: false, startsOver: false, ...how });

  const partOf = ({ opened, post, sent }: State): NetworkItem<PublishMedia> => {
    const part = opened.network.parts(post)[sent.length];
    if (part === undefined) throw new Error('all parts are out already');
    return part;
  };

  /** As it was sent, also when the post was edited since. */
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
      since: new Date(since),
      readPicture: parts.readPicture,
    };
  };

  /** A file that cannot be read is reported, also when the network goes on without it. */
  const readable = (file: PublishMedia): PublishMedia => ({
    ...file,
    read: async (range) => {
      try {
        return await file.read(range);
      } catch (error) {
        throw asTrouble(error, parts.report);
      }
    },
  });

  /** Opens the account, or ends or pauses the row. */
  const opening = async (row: HeldRow, found: Access, count: number): Promise<OpenAccess | undefined> => {
    if (found.is === 'open') return found;
    const outOfReach = {
      ...heldOf(row),
      sent: row.sent,
      prepared: row.prepared,
      isBegun: row.begunAt !== null,
      mayRepeat: mayRepeat(row),
      nextPart: false,
      startsOver: false,
    };
    if (found.is === 'busy') await parts.save({ ...outOfReach, tries: row.tries, inMs: found.forMs });
    else if (found.is === 'trouble' && row.tries < patienceMs.length) {
      await parts.save({ ...outOfReach, tries: row.tries + 1, inMs: patienceMs[row.tries] ?? 0 });
    } else {
      const outcome = row.begunAt === null ? withoutAccess(networks.get(row.account.network), found) : uncertain;
      await end(row, row.sent, withSent(outcome, row.sent, count));
    }
    return undefined;
  };

  /** SPEC and DECISIONS, never twice: prepared, marked as begun in a row of its own, sent, recorded. */
  const goOn = async (state: State): Promise<void> => {
    const { opened, row } = state;
    const { network, site } = opened;
    if (state.sent.length === state.count) return finish(state);
    const sending = sendingOf(state);
    let prepared: unknown;
    try {
      const step = await network.prepare(site, sending, preparedIn(row));
      if (step.is === 'waiting') {
        if (ageMs(row, state.since) > longestWaitMs) return endState(state, failed('media_refused', tookTooLong));
        await pause(state, { prepared: step.prepared, isBegun: false, inMs: askAgainMs(step) });
        return;
      }
      prepared = step.prepared;
    } catch (error) {
      return troubled(state, asTrouble(error, parts.report));
    }
    return commit(state, sending, {
      prepared: withMark(prepared, sending, clock),
      body: sending.part.body,
      repeated: false,
    });
  };

  const commit = async (state: State, sending: Sending, begin: Begin): Promise<void> => {
    const { opened, row } = state;
    const { prepared, repeated } = begin;
    const left = await parts.waitToLeave(row);
    let answer: SendEnd<unknown>;
    let begunAt: string | undefined;
    try {
      remember(sentSince, state.key);
      const sinceBegun = parts.startStopwatch();
      begunAt = await mark(state, begin);
      if (begunAt === undefined) return;
      if (state.sent.length === 0 && !repeated) parts.sendingNow(row);
      answer = await opened.network.send(guarded(opened.site, sinceBegun, left), sending, prepared);
    } catch (error) {
      const trouble = asTrouble(error, parts.report);
      // The network may refuse the repeated request because it accepted the first one.
      if (!repeated && isDefinite(trouble)) return troubled(state, trouble);
      remember(lostSince, state.key);
      const mayRepeat = !repeated && trouble.kind === 'temporary';
      await pause(state, { prepared, isBegun: true, inMs: settleMs, mayRepeat });
      return;
    } finally {
      left();
    }
    if (answer.is === 'waiting') {
      await pause(state, { prepared: answer.prepared, isBegun: true, inMs: askAgainMs(answer) });
      return;
    }
    return wentOut(state, { ...answer.sent, publishedAt: begunAt });
  };

  /** Undefined when another process holds the row, or when it could not be marked: nothing has left then, and nothing will. */
  const mark = async (state: State, begin: Begin): Promise<string | undefined> => {
    try {
      return await parts.markBegun(state.row, begin);
    } catch (error) {
      parts.report(error);
      // A repeated send stays marked, as the one before it may be out.
      const { prepared } = begin.repeated ? begin : { prepared: null };
      await pause(state, { prepared, isBegun: begin.repeated, inMs: patienceMs[0] ?? 0 });
      return undefined;
    }
  };

  /** Sends nothing when too much time has passed since it was marked as begun, also while a long body is being sent. */
  const guarded = (site: Site, sinceBegun: Stopwatch, left: () => void): Site => {
    let sinceWritten = sinceBegun;
    let hasWritten = false;
    const written = (may: boolean) => {
      if (may) {
        sinceWritten = parts.startStopwatch();
        hasWritten = true;
        left();
      }
      return may;
    };
    const guard = {
      mayBegin: () => written(sinceBegun() < parts.sendWithinMs),
      mayGoOn: () => written(sinceWritten() < parts.sendWithinMs),
    };
    return {
      ...site,
      request: async (request) => {
        const before = hasWritten;
        try {
          return await site.request({ ...request, guard });
        } catch (error) {
          // This request never arrived, but the one before it did.
          if (!before || !(error instanceof NetworkTrouble) || error.reached) throw error;
          const { networkCode } = error;
          throw new NetworkTrouble('unknown', error.message, { ...(networkCode !== undefined && { networkCode }) });
        }
      },
    };
  };

  const wentOut = async (state: State, part: Sent): Promise<void> => {
    const sent = [...state.sent, part];
    forget(state.key);
    if (sent.length >= state.count) return finish({ ...state, sent });
    const { row } = state;
    const next = await parts.save({
      ...heldOf(row),
      sent,
      prepared: null,
      isBegun: false,
      mayRepeat: false,
      tries: 0,
      inMs: longestStepMs,
      nextPart: true,
      startsOver: false,
    });
    if (!next?.isHeld) return;
    const { key, since } = next;
    return goOn({ ...state, row: { ...row, key, prepared: null, begunAt: null }, sent, tries: 0, key, since });
  };

  const finish = ({ row, opened, post, sent }: State) => {
    const [first] = sent;
    const { metrics } = opened.network.constraintsFor(post, opened.account.facts);
    const isRead = metrics.length > 0 && first?.withoutStatistics !== true;
    const outcome = { ok: true, uncertain: false, publishedAt: first?.publishedAt ?? row.startedAt };
    return end(row, sent, withSent(outcome, sent, sent.length), { isRead });
  };

  /** Nothing was made public: try again, or say what is wrong. */
  const troubled = async (state: State, trouble: NetworkTrouble): Promise<void> => {
    const { row, tries } = state;
    if (trouble.kind === 'token') {
      if (state.renewed) {
        await access.refuse(row.account);
        return endState(state, refused(state.opened.network, trouble));
      }
      const found = await access.renewed(row.account, state.opened.account.tokens);
      const opened = await opening({ ...row, sent: state.sent, begunAt: null }, found, state.count);
      if (opened) return goOn({ ...state, opened, renewed: true });
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
    else await pause({ ...again, tries: tries + 1 }, { prepared: null, isBegun: false, inMs: waitMs });
  };

  /** Says so in its progress, where a person can give it up. Then it is tried as if it had just been published. */
  const waitLong = async (state: State, trouble: NetworkTrouble, inMs: number): Promise<void> => {
    const wait: LongWait = { waitsFor: whatHappened(trouble, state.opened.network) };
    await pause({ ...state, tries: 0 }, { prepared: wait, isBegun: false, inMs, startsOver: true });
  };

  /** Undefined when another process holds the row. */
  const withNewKey = async (state: State): Promise<State | undefined> => {
    const renewed = await parts.renewKey(heldOf(state.row));
    return renewed && { ...state, ...renewed, row: { ...state.row, key: renewed.key } };
  };

  const waitFor = ({ kind, until, reached }: NetworkTrouble, tries: number): number | undefined => {
    if (kind === 'rateLimited') {
      const asked = until ? until.getTime() - clock.now().getTime() : shortestWaitMs;
      return Math.max(asked, patienceMs[tries] ?? longestWaitMs);
    }
    return kind === 'temporary' || kind === 'unknown' || !reached ? patienceMs[tries] : undefined;
  };

  /** A send was begun, and how it ended is not known. */
  const ask = async (state: State, begunAt: string): Promise<void> => {
    const { row } = state;
    remember(lostSince, row.key);
    const isOut = (sent: Sent) => wentOut(state, { ...sent, publishedAt: outSince(begunAt, sent.publishedAt) });
    let confirmation: Confirmation<unknown>;
    try {
      confirmation = await confirm(state);
    } catch (error) {
      return confirmFailed(state, asTrouble(error, parts.report));
    }
    switch (confirmation.is) {
      case 'sent':
        return isOut(confirmation.sent);
      case 'waiting': {
        const { out, prepared } = confirmation;
        if (ageMs(row, begunAt) > longestWaitMs) return out ? isOut(out) : endState(state, uncertain);
        await askLater(state, askAgainMs(confirmation), prepared);
        return;
      }
      case 'unknown':
        return endState(state, uncertain);
      case 'absent':
        return row.result === null ? isAbsent(state, begunAt) : isStillAbsent(state);
    }
  };

  /**
   * Looks for the post since the send began. That instant is the database's; where the network's clock differs, the network
   * is asked again by its own time. Without knowing its clock, or the instant, nothing is called absent.
   */
  const confirm = async (state: State): Promise<Confirmation<unknown>> => {
    const { opened, row } = state;
    const { network } = opened;
    const watched = watchClock(opened.site, () => nowMs(row));
    const sending = sendingOf(state, begunPartOf(state));
    const sentForMs = sentSince.get(row.key)?.();
    const since = sentForMs === undefined ? sending.since : new Date(nowMs(row) - sentForMs);
    const confirmation = await network.confirm(watched.site, { ...sending, since }, row.prepared);
    if (confirmation.is !== 'absent') return confirmation;
    const aheadMs = watched.networkAheadMs();
    if (aheadMs === undefined || (sentForMs === undefined && (await isClockStepped(row)))) return unknown;
    if (aheadMs === 0) return confirmation;
    const bySite = { ...sending, since: new Date(since.getTime() + aheadMs) };
    return network.confirm(opened.site, bySite, row.prepared);
  };

  /** Whether the clocks of the database and of the process that sent it, or of this one, were stepped since. */
  const isClockStepped = async (row: HeldRow) => {
    const { sentAt } = markOf(row);
    if (row.begunAt === null || sentAt === undefined) return false;
    const thenAheadMs = Date.parse(row.begunAt) - Date.parse(sentAt);
    const isStepped = () => Math.abs(nowMs(row) - clock.now().getTime() - thenAheadMs) > clockStepMs;
    // A sandbox clock that was moved is read by every process a moment later.
    for (let turn = 0; turn < 10 && isStepped(); turn++) await sleep(100);
    return isStepped();
  };

  const askLater = (state: State, inMs: number, prepared: unknown = state.row.prepared) =>
    pause(state, { prepared, isBegun: true, inMs, mayRepeat: mayRepeat(state.row) });

  const isAbsent = async (state: State, begunAt: string): Promise<void> => {
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
        return commit(state, sending, { prepared: row.prepared, body, repeated: true });
      }
      case 'sendAnew':
        return sendAnew(state, isSame);
      case 'mayStillAppear':
        return endState(state, mayStillAppear(network, holdLeftMs), { askInMs: step.askInMs });
      case 'notSent':
        return endState(state, notSent(network, row), { maybeOut: true });
    }
  };

  /** The post has ended as uncertain: only its result changes. */
  const isStillAbsent = async (state: State): Promise<void> => {
    const { row, opened } = state;
    const brokenForMs = lostForMs(row);
    const holdLeftMs = opened.network.holdMs - brokenForMs;
    if (holdLeftMs <= 0) return endState(state, notSent(opened.network, row), { maybeOut: true });
    await askLater(state, nextAskMs({ holdLeftMs, lostForMs: brokenForMs }));
  };

  /** With its key when nothing was changed: should the network have taken it after all, it makes no second post. */
  const sendAnew = async (state: State, isSame: boolean): Promise<void> => {
    const row = { ...state.row, prepared: null, begunAt: null };
    if (isSame) return goOn({ ...state, row });
    const renewed = await withNewKey({ ...state, row });
    if (renewed) return goOn(renewed);
  };

  const confirmFailed = async (state: State, trouble: NetworkTrouble): Promise<void> => {
    const { row, tries } = state;
    if (trouble.isVerdict) return endState(state, refused(state.opened.network, trouble));
    if (trouble.kind === 'token' && !state.renewed) {
      const found = await access.renewed(row.account, state.opened.account.tokens);
      const opened = await opening(row, found, state.count);
      if (opened && row.begunAt !== null) return ask({ ...state, opened, renewed: true }, row.begunAt);
      return;
    }
    if (trouble.kind === 'token') await access.refuse(row.account);
    const waitMs = trouble.kind === 'token' || trouble.kind === 'permission' ? undefined : waitFor(trouble, tries);
    if (waitMs === undefined || ageMs(row, state.since) + waitMs > longestWaitMs) return endState(state, uncertain);
    await askLater({ ...state, tries: tries + 1 }, waitMs);
  };

  return async (row: HeldRow): Promise<void> => {
    const network = networks.get(row.account.network);
    const originals = await library.forPublishing(row.workspaceId, mediaIn(row.versions));
    const { fitted, lost } = await renditions.forPublishing(row.workspaceId, row.renditionIds ?? [], originals);
    const media = new Map([...originals, ...fitted].map(([id, file]) => [id, readable(file)]));
    const { post, missing } = outgoingTo(network, row.versions, row.accountId, media, row.linkCards ?? []);
    const count = network.parts(post).length;
    const mayBeOut = row.begunAt !== null;
    const endEarly = (outcome: Omit<Result, 'accountId'>) => end(row, row.sent, withSent(outcome, row.sent, count));
    if (row.account.disconnectedAt !== null) return endEarly(mayBeOut ? uncertain : accountGone);
    if (!mayBeOut && isGivenUp(row)) return endEarly(givenUp(network));
    if (!mayBeOut && ageMs(row, row.startedAt) > graceMs) return endEarly(row.sent.length > 0 ? restMissed : missed);
    const opened = await opening(row, await access.open(row.account), count);
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
      renewed: false,
    };
    if (row.begunAt !== null) return ask(state, row.begunAt);
    if (row.result !== null) return endState(state, restNotSent);
    if (lost.length > 0) return endState(state, failed('invalid', renditionLost));
    if (problems[0])
      return endState(state, failed('invalid', `${problems[0].message} Change the post, then publish again.`));
    return goOn(state);
  };
};

const renditionLost =
  'The file of a picture that was fitted to the network is gone, and it cannot be made again exactly as it was shown. Look at the preview, then publish again.';
const tookTooLong = 'The network worked on the media for more than an hour. Publish again, perhaps with smaller files.';
/** The lease of a row that is still being worked on; it is renewed while the work goes on. */
const longestStepMs = 60_000;

/** Not a number is as soon as can be. */
const askAgainMs = ({ forMs }: Waiting<unknown>) => (forMs > soonestMs ? Math.min(forMs, latestMs) : soonestMs);

const heldOf = ({ workspaceId, postId, accountId, claim, key }: SendRow) => ({
  workspaceId,
  postId,
  accountId,
  claim,
  key,
});

/** The network answered 503, or the process that sent it never recorded an answer. Only where it was not repeated yet. */
const mayRepeat = ({ begunAt, lostAt, repeat }: SendRow) =>
  repeat === 'may' || (repeat === null && begunAt !== null && lostAt === null);

/** Kept with what a network prepared. Rows of an earlier release have none. */
interface Mark {
  /** A hash of what was sent: its key is never used for anything else. */
  readonly print?: string;
  /** When it was sent, by the clock of the process that did. */
  readonly sentAt?: string;
}

/** Kept in the place of what a network prepared, while a send waits for longer than `longestWaitMs`. */
export interface LongWait {
  /** What the network said. */
  readonly waitsFor: string;
  /** A person does not want to wait for it. */
  readonly isGivenUp?: true;
}

const longWaitOf = ({ prepared }: SendRow) =>
  typeof prepared === 'object' && prepared !== null && 'waitsFor' in prepared
    ? (prepared as unknown as LongWait)
    : undefined;

const preparedIn = (row: SendRow): unknown => (longWaitOf(row) ? undefined : (row.prepared ?? undefined));

const isGivenUp = (row: SendRow) => longWaitOf(row)?.isGivenUp === true;

const withMark = (prepared: unknown, sending: Sending, clock: Clock): unknown => {
  if (typeof prepared !== 'object' || prepared === null) return prepared;
  const mark: Mark = { print: printOf(sending), sentAt: clock.now().toISOString() };
  return { ...prepared, ...mark };
};

const markOf = ({ prepared }: SendRow): Mark => (prepared ?? {}) as Mark;

const isSameContent = (row: SendRow, sending: Sending) => {
  const { print } = markOf(row);
  return print === undefined ? row.begunBody === sending.part.body : print === printOf(sending);
};

/** All that a part sends. A fitted picture has an id of its own. */
const printOf = ({ part, post }: Sending) => {
  const { body, media } = part;
  const files = Object.entries(post.optionFiles ?? {}).map(([key, file]) => [key, file.id]);
  const content = [body, media.map(({ id, alt = '' }) => [id, alt]), Object.entries(post.options).sort(), files.sort()];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
};

const withoutAccess = (network: Network, found: Exclude<Access, { is: 'open' | 'busy' }>) =>
  found.is === 'trouble' ? refused(network, found.trouble) : needsReconnect(network);

/** The network refused it, or never got it: nothing is public. */
const isDefinite = ({ kind, reached }: NetworkTrouble) => !reached || (kind !== 'temporary' && kind !== 'unknown');

/** The network's own time, where it can be: it went out after the send began, and not much later. */
const outSince = (begunAt: string, told: string | undefined) => {
  const afterMs = Date.parse(told ?? '') - Date.parse(begunAt);
  if (told === undefined || !(afterMs >= 0 && afterMs < longestWaitMs)) return begunAt;
  return instantOf(new Date(told));
};

/** A UUID for each part, from the one of the row. */
const keyOf = (key: string, index: number) => {
  const hex = createHash('sha256').update(`${key} ${index}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};
