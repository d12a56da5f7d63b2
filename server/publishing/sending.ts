import { createHash } from 'node:crypto';
import { instantOf } from '#contracts/instant';
import type { Result } from '#contracts/posts';
import type { Access, AccountAccess, Opened } from '#server/accounts/access';
import type { Clock, Stopwatch } from '#server/clock';
import type { MediaLibrary } from '#server/media/library';
import type { Renditions } from '#server/media/renditions';
import { watchClock } from '#server/networks/clock-difference';
import {
  type Confirmation,
  type Network,
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
import { asTrouble, NetworkTrouble } from '#server/networks/trouble';
import { problemsOf } from '#server/posts/limits';
import { mediaIn, outgoingTo } from '#server/posts/outgoing';
import {
  accountGone,
  failed,
  missed,
  needsReconnect,
  notSent,
  refused,
  restMissed,
  uncertain,
  withSent,
} from './result.ts';
import type { Begin, Ended, Progress, SendRow } from './store.ts';

const minuteMs = 60_000;
/** Waits before the next tries after temporary trouble. After the last one the send has failed. */
const patienceMs = [5_000, 30_000, 2 * minuteMs, 10 * minuteMs];
/** The longest wait for a network that is rate limiting, or processing the post. */
const longestWaitMs = 60 * minuteMs;
const shortestWaitMs = minuteMs;
/** How soon and how late a network that works on something is asked again, whatever it says. */
const soonestMs = 200;
const latestMs = 5 * minuteMs;
/** A broken request may still be running at the network: only after this long is it asked whether the post exists. */
const settleMs = minuteMs;
/** Networks that have idempotency keys remember them for an hour. */
const repeatWithinMs = 45 * minuteMs;

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
  /** When it was marked; undefined when another process holds the row. */
  readonly markBegun: (row: SendRow, begin: Begin) => Promise<string | undefined>;
  readonly save: (progress: Progress) => Promise<{ key: string; since: string } | undefined>;
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
  const ageMs = ({ claimedAt, heldMs }: HeldRow, instant: string, since: Stopwatch = heldMs) =>
    Date.parse(claimedAt) + since() - Date.parse(instant);

  /** Where the work on a claimed row stands. */
  interface State {
    readonly row: HeldRow;
    readonly opened: Opened;
    readonly post: NetworkPost<PublishMedia>;
    readonly count: number;
    readonly sent: readonly Sent[];
    readonly key: string;
    readonly since: string;
    readonly tries: number;
    /** New tokens were fetched for this row; the next refusal is final. */
    readonly renewed: boolean;
  }

  const end = (
    row: HeldRow,
    sent: readonly Sent[],
    outcome: Omit<Result, 'accountId'>,
    { isRead = false, maybeOut = outcome.uncertain }: Partial<Pick<Ended, 'isRead' | 'maybeOut'>> = {},
  ) =>
    parts.end({
      row,
      workspaceId: row.workspaceId,
      postId: row.postId,
      accountId: row.accountId,
      claim: row.claim,
      sent,
      result: { accountId: row.accountId, provider: networks.get(row.account.network).name, ...outcome },
      maybeOut,
      isRead,
    });

  const endState = (
    { row, sent, count }: State,
    outcome: Omit<Result, 'accountId'>,
    how?: Partial<Pick<Ended, 'maybeOut'>>,
  ) => end(row, sent, withSent(outcome, sent, count), how);

  /** Gives the row back until `inMs` have passed. */
  const pause = (
    { row, sent, tries }: State,
    how: Pick<Progress, 'prepared' | 'begun' | 'inMs'> & Partial<Pick<Progress, 'mayRepeat'>>,
  ) => parts.save({ ...heldOf(row), sent, tries, nextPart: false, mayRepeat: false, ...how });

  const sendingOf = (state: State): Sending => {
    const { opened, post, sent, key, since } = state;
    const part = opened.network.parts(post)[sent.length];
    if (part === undefined) throw new Error('all parts are out already');
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
  const opening = async (row: HeldRow, found: Access, count: number): Promise<Opened | undefined> => {
    if (found.is === 'open') return found;
    const outOfReach = {
      ...heldOf(row),
      sent: row.sent,
      prepared: row.prepared,
      begun: row.begunAt === null ? ('no' as const) : ('yes' as const),
      mayRepeat: false,
      nextPart: false,
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
      const step = await network.prepare(site, sending, state.row.prepared ?? undefined);
      if (step.is === 'waiting') {
        if (ageMs(row, row.startedAt) > longestWaitMs) return endState(state, failed('media_refused', tookTooLong));
        await pause(state, { prepared: step.prepared, begun: 'no', inMs: askAgainMs(step) });
        return;
      }
      prepared = step.prepared;
    } catch (error) {
      return troubled(state, asTrouble(error, parts.report));
    }
    return commit(state, sending, { prepared, body: sending.part.body, repeated: false });
  };

  const commit = async (state: State, sending: Sending, begin: Begin): Promise<void> => {
    const { opened, row } = state;
    const { prepared, repeated } = begin;
    const sinceBegun = parts.startStopwatch();
    const begunAt = await parts.markBegun(row, begin);
    if (begunAt === undefined) return;
    if (state.sent.length === 0 && !repeated) parts.sendingNow(row);
    let answer: SendEnd<unknown>;
    try {
      answer = await opened.network.send(guarded(opened.site, sinceBegun), sending, prepared);
    } catch (error) {
      const trouble = asTrouble(error, parts.report);
      // The network may refuse the repeated request because it accepted the first one.
      if (!repeated && isDefinite(trouble)) return troubled(state, trouble);
      const mayRepeat = !repeated && trouble.kind === 'temporary';
      await pause(state, { prepared, begun: 'heard', inMs: settleMs, mayRepeat });
      return;
    }
    if (answer.is === 'waiting') {
      await pause(state, { prepared: answer.prepared, begun: 'heard', inMs: askAgainMs(answer) });
      return;
    }
    return wentOut(state, { ...answer.sent, publishedAt: begunAt });
  };

  /** Sends nothing when too much time has passed since it was marked as begun, also while a long body is being sent. */
  const guarded = (site: Site, sinceBegun: Stopwatch): Site => {
    let sinceWritten = sinceBegun;
    let hasWritten = false;
    const written = (may: boolean) => {
      if (may) {
        sinceWritten = parts.startStopwatch();
        hasWritten = true;
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
    if (sent.length === state.count) return finish({ ...state, sent });
    const { row } = state;
    const kept: Progress = {
      ...heldOf(row),
      sent,
      prepared: null,
      begun: 'no',
      mayRepeat: false,
      tries: 0,
      inMs: longestStepMs,
      nextPart: true,
    };
    const next = await parts.save(kept);
    if (next) return goOn({ ...state, row: { ...row, prepared: null, begunAt: null }, sent, tries: 0, ...next });
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
    if (waitMs === undefined || ageMs(row, row.startedAt) + waitMs > longestWaitMs) {
      return endState(state, refused(state.opened.network, trouble));
    }
    await pause({ ...state, tries: tries + 1 }, { prepared: null, begun: 'no', inMs: waitMs });
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
    const { opened, row } = state;
    const { network } = opened;
    const later = (inMs: number, prepared: unknown = row.prepared) => pause(state, { prepared, begun: 'yes', inMs });
    const isOut = (sent: Sent) => wentOut(state, { ...sent, publishedAt: outSince(begunAt, sent.publishedAt) });
    let found: Confirmation<unknown>;
    const sending = sendingOf(state);
    const body = row.begunBody ?? sending.part.body;
    try {
      const part = { ...sending.part, body };
      const watched = watchClock(opened.site);
      found = await network.confirm(watched.site, { ...sending, part }, row.prepared);
      if (found.is === 'absent' && watched.isBehind()) found = unknown;
    } catch (error) {
      return confirmFailed(state, asTrouble(error, parts.report));
    }
    switch (found.is) {
      case 'sent':
        return isOut(found.sent);
      case 'waiting':
        if (ageMs(row, begunAt) > longestWaitMs) return found.out ? isOut(found.out) : endState(state, uncertain);
        await later(askAgainMs(found), found.prepared);
        return;
      case 'unknown':
        return endState(state, uncertain);
      case 'absent': {
        const settledMs = ageMs(row, row.heardAt ?? begunAt);
        if (settledMs < settleMs) {
          await later(settleMs - settledMs);
          return;
        }
        // Sent again only when somebody asked to publish again,
        if (row.again) return goOn({ ...state, row: { ...row, prepared: null, begunAt: null } });
        // or once, where the network's idempotency key rules out a second post.
        const isRemembered = ageMs(row, begunAt, row.heldAtMostMs) < repeatWithinMs;
        const isRepeatable = network.isRepeatable?.(sending) === true && isRemembered;
        if (row.repeat === 'may' && isRepeatable && body === sending.part.body) {
          return commit(state, sending, { prepared: row.prepared, body, repeated: true });
        }
        // A process that was stopped before it sent may still continue: publishing again asks the network first.
        return endState(state, notSent(network, row), { maybeOut: row.heardAt === null });
      }
    }
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
    if (waitMs === undefined || ageMs(row, row.startedAt) + waitMs > longestWaitMs) return endState(state, uncertain);
    await pause({ ...state, tries: tries + 1 }, { prepared: row.prepared, begun: 'yes', inMs: waitMs });
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

const heldOf = ({ workspaceId, postId, accountId, claim }: SendRow) => ({ workspaceId, postId, accountId, claim });

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
