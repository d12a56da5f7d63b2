import { instantOf } from '#contracts/instant';
import type { Result } from '#contracts/posts';
import type { Access, OpenAccess } from '#server/connecting/accounts/access';
import type { Network, Sent } from '#server/networks/network';
import type { NetworkClocks } from '#server/networks/network-clocks';
import { type ClaimedRow, claimKeyOf, mayRepeat, type OpenSend, type SendingParts, serverOf } from './open-send.ts';
import type { NewStep } from './progress.ts';
import { needsReconnect, refused, uncertain, withSent } from './result.ts';
import type { SendClock } from './send-clock.ts';
import { retryDelaysMs } from './send-waits.ts';
import type { EndedSend, Progress } from './sending-store.ts';

export type SendRecord = ReturnType<typeof createSendRecord>;

/** What is written to the row of a send, and shown to people who watch. */
export const createSendRecord = ({
  networks,
  networkClocks,
  sendClock,
  ...parts
}: Pick<SendingParts, 'networks' | 'save' | 'end' | 'renewKey' | 'note'> & {
  networkClocks: NetworkClocks;
  sendClock: SendClock;
}) => {
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
    { row, sent, count }: OpenSend,
    outcome: Omit<Result, 'accountId'>,
    how?: Partial<Pick<EndedSend, 'isMaybePublic' | 'askInMs'>>,
  ) => end(row, sent, withSent(outcome, sent, count), how);

  const note = ({ row, sent, count }: Pick<OpenSend, 'row' | 'sent' | 'count'>, step: NewStep) =>
    parts.note(row, { ...step, ...(count > 1 && { part: { number: sent.length + 1, count } }) });
  const noteWait = (state: Parameters<typeof note>[0], step: NewStep['step'], inMs: number) =>
    note(state, { step, at: instantOf(new Date(sendClock.nowMs(state.row) + inMs)) });

  /** Releases the row, which is due again in `inMs`. */
  const pause = async (
    state: OpenSend,
    step: NewStep['step'],
    how: Pick<Progress, 'prepared' | 'isBegun' | 'inMs'> & Partial<Pick<Progress, 'mayRepeat' | 'shouldStartOver'>>,
  ) => {
    const { row, sent, tries } = state;
    const defaults = { hasNextPart: false, mayRepeat: false, shouldStartOver: false };
    const saved = await parts.save({ ...claimKeyOf(row), sent, tries, ...defaults, ...how });
    if (saved) noteWait(state, step, how.inMs);
  };

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

  /** Undefined when another process holds the row. */
  const withNewKey = async (state: OpenSend): Promise<OpenSend | undefined> => {
    const renewed = await parts.renewKey(claimKeyOf(state.row));
    return renewed && { ...state, ...renewed, row: { ...state.row, key: renewed.key } };
  };

  return { end, endState, note, pause, openedOrEnd, withNewKey };
};

const withoutAccess = (network: Network, result: Exclude<Access, { is: 'open' | 'busy' }>) =>
  result.is === 'trouble' ? refused(network, result.trouble) : needsReconnect(network);
