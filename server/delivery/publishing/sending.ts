import type { Result } from '#contracts/posts';
import type { PublishMedia } from '#server/networks/network';
import { createNetworkClocks } from '#server/networks/network-clocks';
import { asTrouble } from '#server/networks/trouble';
import { problemsOf } from '#server/writing/posts/limits';
import { mediaIn, outgoingTo } from '#server/writing/posts/outgoing';
import { createLostAnswer } from './lost-answer.ts';
import type { ClaimedRow, OpenSend, SendingParts } from './open-send.ts';
import {
  accountGone,
  failed,
  givenUp,
  missedWhileWaiting,
  restMissed,
  restNotSent,
  uncertain,
  withSent,
} from './result.ts';
import { createSendClock } from './send-clock.ts';
import { isGivenUp, isInProgress } from './send-mark.ts';
import { createPartSender } from './send-part.ts';
import { createSendRecord } from './send-record.ts';
import { longestWaitMs } from './send-waits.ts';

export type SendOne = ReturnType<typeof createSendOne>;

/** Sends one post to one account, and records the progress in its row. */
export const createSendOne = (parts: SendingParts) => {
  const { access, library, fittedFiles, networks, clock, graceMs, report } = parts;
  const networkClocks = createNetworkClocks(clock);
  const sendClock = createSendClock(clock);
  const record = createSendRecord({ ...parts, networkClocks, sendClock });
  const shared = { ...parts, networkClocks, sendClock, record };
  const sender = createPartSender(shared);
  const askNetwork = createLostAnswer({ ...shared, sender });
  const { end, endState, openedOrEnd } = record;
  const { sendNextPart } = sender;
  const { ageMs } = sendClock;

  /** A send in progress may take the usual waits and retries, even if the grace for an outage is shorter. */
  const maxAgeMs = (row: ClaimedRow) => (isInProgress(row) ? Math.max(graceMs, longestWaitMs) : graceMs);

  /** Reports a file that cannot be read, even if the network then continues without it. */
  const reportingReads = (file: PublishMedia): PublishMedia => ({
    ...file,
    read: async (range) => {
      try {
        return await file.read(range);
      } catch (error) {
        throw asTrouble(error, report);
      }
    },
  });

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
    const state: OpenSend = {
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
    if (row.begunAt !== null) return askNetwork(state, row.begunAt);
    if (row.result !== null) return endState(state, restNotSent);
    if (lost.length > 0) return endState(state, failed('invalid', fittedFileLost));
    if (problems[0])
      return endState(state, failed('invalid', `${problems[0].message} Change the post, then publish again.`));
    return sendNextPart(state);
  };
};

const fittedFileLost =
  'The file of a picture that was fitted to the network is gone, and it cannot be made again exactly as it was shown. Look at the preview, then publish again.';
