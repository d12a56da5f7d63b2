import { type Database, sql } from '#server/store/database';

const channel = 'posthorn_live';
const say = sql('live.say', 'select pg_notify($1, $2)');

export type LiveStore = ReturnType<typeof createLiveStore>;

export const createLiveStore = (db: Database) => ({
  /** Heard when the transaction around it is committed, and never if it is not. */
  say: (text: string) => db.query(say, [channel, text]),
  listen: (ears: { heard: (text: string) => void; resumed: () => void }) => db.listen(channel, ears),
});
