import { absent, unknown } from '#server/networks/network';

/** How far the clock of a network may be behind ours. */
const clockDifferenceMs = 120_000;

/** Upper bound per question: a busy account must not cost a network's whole quota. */
export const maxPages = 5;

/** The earliest timestamp that a network may give to a post whose send began at `since`. */
export const earliest = (since: Date): Date => new Date(since.getTime() - clockDifferenceMs);

/** Whether a post with this network timestamp may come from a send that began at `since`. */
export const isSince = (at: number, since: Date): boolean => at >= earliest(since).getTime();

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** Cursor of the next page; absent at the end of the list. */
  readonly next?: string | undefined;
}

export interface Search<Entry> {
  /** The entry that is certainly the post. */
  readonly match?: Entry;
  /** Entries that may be the post. */
  readonly candidates: readonly Entry[];
  /** Every entry since the send began was read. */
  readonly isComplete: boolean;
}

/**
 * Reads a list page by page until it shows the post, ends, or reaches back before the send: other posts of a busy account
 * push a new one off the first page within a minute.
 */
export const searchBack = async <Entry>({
  readPage,
  isCandidate,
  isMatch = () => true,
  timeOf,
  since,
}: {
  readonly readPage: (cursor?: string) => Promise<Page<Entry>>;
  readonly isCandidate: (entry: Entry) => boolean;
  /** Whether a candidate is certainly the post. */
  readonly isMatch?: (entry: Entry) => boolean;
  /**
   * The timestamp that orders the list, newest first. Absent: the order is not documented, so the list is read to its
   * end.
   */
  readonly timeOf?: (entry: Entry) => number;
  readonly since: Date;
}): Promise<Search<Entry>> => {
  const candidates: Entry[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const { entries, next } = await readPage(cursor);
    candidates.push(...entries.filter(isCandidate));
    const match = candidates.find(isMatch);
    if (match !== undefined) return { match, candidates, isComplete: false };
    const last = entries.at(-1);
    const isBefore = last !== undefined && timeOf !== undefined && timeOf(last) < earliest(since).getTime();
    if (isBefore || next === undefined) return { candidates, isComplete: true };
    cursor = next;
  }
  return { candidates, isComplete: false };
};

/** The verdict when no entry is certainly the post. A list that was not read to its end may still have it. */
export const withoutMatch = ({ candidates, isComplete }: Search<unknown>) =>
  candidates.length === 0 && isComplete ? absent : unknown;
