import { writeFileSync } from 'node:fs';
import type pg from 'pg';

/** The clock of the soak's networks and people: the machine's clock, moved forward now and then. */
export const createWorldClock = () => {
  let aheadMs = 0;
  const nowMs = () => Date.now() + aheadMs;
  return {
    nowMs,
    now: () => new Date(nowMs()),
    aheadMs: () => aheadMs,
    forward: (ms: number) => {
      aheadMs += ms;
    },
  };
};
export type WorldClock = ReturnType<typeof createWorldClock>;

export type DatabaseClock = ReturnType<typeof createDatabaseClock>;

/** PostgreSQL's clock: as far ahead as the world clock, plus a skew of its own. */
export const createDatabaseClock = (db: pg.Pool, world: WorldClock) => {
  let skewMs = 0;

  /** In one transaction, so that no process sees a clock without the skew in between. */
  const write = async () => {
    const offsetMs = Math.round(world.aheadMs());
    const connection = await db.connect();
    // A broken connection also fails the running statement, so this event needs no handling.
    connection.on('error', () => undefined);
    try {
      await connection.query('begin');
      await connection.query('update sandbox_clock set offset_ms = $1', [offsetMs]);
      await connection.query('insert into sandbox_clock_moves (at, offset_ms) values (clock_timestamp(), $1)', [
        offsetMs,
      ]);
      await connection.query(
        `create or replace function posthorn_now() returns timestamptz language sql volatile
           as $$ select clock_timestamp() + interval '${offsetMs + Math.round(skewMs)} milliseconds' $$`,
      );
      await connection.query(`select pg_notify('posthorn_due', 'clock')`);
      await connection.query('commit');
    } finally {
      connection.release(true);
    }
  };
  const writeUntilDone = async () => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await write();
      } catch (error) {
        if (attempt === 20) throw error;
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    }
  };

  return {
    skewMs: () => skewMs,

    step: async (toMs: number) => {
      skewMs = toMs;
      await writeUntilDone();
    },

    /**
     * Moves all clocks, the networks' first: a network whose clock is behind would date a new post before it was sent.
     */
    forwardAll: async (ms: number) => {
      world.forward(ms);
      await writeUntilDone();
    },
  };
};

/** Sets the wall clock of a process that preloads process-clock.cjs. A running one needs SIGUSR2 to read it. */
export const writeProcessClock = (file: string, offsetMs: number) => writeFileSync(file, String(Math.round(offsetMs)));
