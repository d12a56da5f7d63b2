import { sha256 } from '#server/base/sha256';
import type { Sending } from '#server/networks/network';
import type { SendRow } from './sending-store.ts';

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
const longWaitOf = ({ prepared }: SendRow) =>
  typeof prepared === 'object' && prepared !== null && 'waitsFor' in prepared
    ? (prepared as unknown as LongWait)
    : undefined;

export const preparedIn = (row: SendRow): unknown => (longWaitOf(row) ? undefined : (row.prepared ?? undefined));

/** A process has worked on it. */
export const isInProgress = ({ tries, prepared, sent }: SendRow) => tries > 0 || prepared !== null || sent.length > 0;

export const isGivenUp = (row: SendRow) => longWaitOf(row)?.isGivenUp === true;

export const withMark = (prepared: unknown, sending: Sending, now: Date, networkMs: number | undefined): unknown => {
  if (typeof prepared !== 'object' || prepared === null) return prepared;
  const mark: Mark = {
    print: fingerprintOf(sending),
    sentAt: now.toISOString(),
    ...(networkMs !== undefined && { sentAtNetwork: new Date(networkMs).toISOString() }),
  };
  return { ...prepared, ...mark };
};

/** For a repeated request: keeps the times of the first one, so that a clock step between the two is still noticed. */
export const withFirstMark = ({ prepared, begunAt }: SendRow): unknown =>
  typeof prepared === 'object' && prepared !== null ? { begunAt, ...prepared } : prepared;

export const markOf = ({ prepared }: SendRow): Mark => (prepared ?? {}) as Mark;

export const isSameContent = (row: SendRow, sending: Sending) => {
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
