import { afterAll, beforeAll, expect, it } from 'vitest';
import { measureClockSkewMs } from '#server/base/store/clock-skew';
import { type Database, openDatabase } from '#server/base/store/database';
import { type FreshDatabase, freshDatabase } from '#test/support/database';

const hourMs = 3_600_000;
const minuteMs = 60_000;

let fresh: FreshDatabase;
let database: Database;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = openDatabase(fresh.parts, { report: () => undefined });
});

afterAll(async () => {
  await database.close();
  await fresh.drop();
});

const clockAheadBy = (ms: number) => ({ now: () => new Date(Date.now() + ms) });

it('is the clock of the database minus that of the process', async () => {
  expect(Math.abs(await measureClockSkewMs(database))).toBeLessThan(minuteMs);
  const behind = await measureClockSkewMs(database, clockAheadBy(hourMs));
  expect(Math.abs(behind + hourMs)).toBeLessThan(minuteMs);
  const ahead = await measureClockSkewMs(database, clockAheadBy(-hourMs));
  expect(Math.abs(ahead - hourMs)).toBeLessThan(minuteMs);
});

it('counts the shortest round trip, whatever a slow one says', async () => {
  let trips = 0;
  const slowAtFirst: Pick<Database, 'query'> = {
    query: async <Row>() => {
      trips += 1;
      // The answer was read at the end of the trip, so its midpoint is off by half of it.
      if (trips === 1) await new Promise((resolve) => setTimeout(resolve, 400));
      return [{ ms: trips === 1 ? Date.now() + hourMs : Date.now() }] as Row[];
    },
  };
  expect(Math.abs(await measureClockSkewMs(slowAtFirst))).toBeLessThan(minuteMs);
  expect(trips).toBeGreaterThan(1);
});
