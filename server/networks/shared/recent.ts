import { absent, unknown } from '#server/networks/network';

/** How far the clock of a network may be behind ours. */
const clockDifferenceMs = 120_000;

/** The earliest that a network may date something to that was made by a send that began then. */
export const earliest = (since: Date): Date => new Date(since.getTime() - clockDifferenceMs);

/** Whether something the network dates to this instant may have been made by a send that began then. */
export const isSince = (at: number, since: Date): boolean => at >= earliest(since).getTime();

/**
 * What a list says that does not show the post. One that is full and does not reach back to the send may hide it further
 * down, so it proves nothing: a busy account posts more than a page in a minute.
 */
export const notAmong = (times: readonly number[], pageSize: number, since: Date) =>
  times.length >= pageSize && times.every((at) => isSince(at, since)) ? unknown : absent;
