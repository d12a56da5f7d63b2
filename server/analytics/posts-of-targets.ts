import { createTurns } from '#server/turns';
import type { Stretch } from './time-zone.ts';

/** What one account published, oldest first, as PostgreSQL writes it most cheaply. */
export interface PackedTargets {
  readonly network: string;
  /** With commas between. */
  readonly postIds: string;
  /** Eight bytes each: microseconds since 2000. */
  readonly publishedAt: Buffer;
  /** Eight bytes each. */
  readonly engagement: Buffer;
}

const year2000Seconds = 946_684_800;
const weekHours = 168;
const mostBest = 10;

/**
 * Posts over those of their targets that were asked for: how often they went to several accounts of a network, when they went
 * out, and which did best. For so many targets as a request has, this takes a fraction of what PostgreSQL needs.
 */
export const postsOfTargets = async (accounts: readonly PackedTargets[], stretches: readonly Stretch[]) => {
  const indexes = new Map<string, number>();
  const firsts: number[] = [];
  const engagements: number[] = [];
  /** The last network where the post was found. */
  const networks: string[] = [];
  const repeats = new Map<string, number>();
  const takeTurns = createTurns();
  for (const account of accounts.toSorted((a, b) => (a.network < b.network ? -1 : 1))) {
    await takeTurns();
    const { network, publishedAt, engagement } = account;
    let at = 0;
    for (const postId of account.postIds.split(',')) {
      const micros = int64At(publishedAt, at);
      const index = indexes.get(postId);
      if (index === undefined) {
        indexes.set(postId, firsts.length);
        firsts.push(micros);
        engagements.push(int64At(engagement, at));
        networks.push(network);
      } else {
        if (micros < (firsts[index] as number)) firsts[index] = micros;
        engagements[index] = (engagements[index] as number) + int64At(engagement, at);
        if (networks[index] === network) repeats.set(network, 1 + (repeats.get(network) ?? 0));
        networks[index] = network;
      }
      at += 8;
    }
  }
  return {
    repeats: [...repeats].map(([network, posts]) => ({ network, posts })),
    hours: hoursOf(firsts, engagements, stretches),
    bestIds: bestOf([...indexes.keys()], firsts, engagements),
  };
};

/** Exact up to 2^53, as all numbers in an answer are. */
const int64At = (bytes: Buffer, at: number) => bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);

const hoursOf = (firsts: readonly number[], engagements: readonly number[], stretches: readonly Stretch[]) => {
  const begins = stretches.map(({ from }) => Math.floor(Date.parse(from) / 1000) - year2000Seconds);
  // 2000 began on a Saturday: hours of the week are counted from Monday.
  const walls = stretches.map(({ offsetSeconds }) => offsetSeconds + 5 * 24 * 60 * 60);
  const hours = Array.from({ length: weekHours }, (_, hour) => ({ hour, posts: 0, engagement: 0 }));
  firsts.forEach((micros, index) => {
    const second = Math.floor(micros / 1e6);
    let stretch = begins.length - 1;
    while (stretch > 0 && second < (begins[stretch] as number)) stretch--;
    const hour = Math.floor((second + (walls[stretch] as number)) / 3600) % weekHours;
    const then = hours[hour < 0 ? hour + weekHours : hour] as (typeof hours)[number];
    then.posts++;
    then.engagement += engagements[index] as number;
  });
  return hours.filter(({ posts }) => posts > 0);
};

/** The most engagement first, of the same the newest first, of the same by id. */
const bestOf = (postIds: readonly string[], firsts: readonly number[], engagements: readonly number[]) => {
  const compare = (a: number, b: number) =>
    (engagements[a] as number) - (engagements[b] as number) ||
    (firsts[a] as number) - (firsts[b] as number) ||
    ((postIds[a] as string) < (postIds[b] as string) ? 1 : -1);
  const best: number[] = [];
  for (let index = 0; index < postIds.length; index++) {
    if (best.length === mostBest && compare(index, best[mostBest - 1] as number) < 0) continue;
    const place = best.findIndex((other) => compare(index, other) > 0);
    best.splice(place < 0 ? best.length : place, 0, index);
    best.length = Math.min(best.length, mostBest);
  }
  return best.map((index) => postIds[index] as string);
};
