import { type Database, sql } from '#server/store/database';
import { channel } from './news.ts';

const say = sql('live.say', 'select pg_notify($1, said) from unnest($2::text[]) as said');

export type LiveStore = ReturnType<typeof createLiveStore>;

export const createLiveStore = (db: Database) => ({
  /** Heard when the transaction around it is committed, and never if it is not. */
  say: (texts: readonly string[]) => db.query(say, [channel, texts]),
  listen: (ears: { heard: (text: string) => void; resumed: () => void }) => db.listen(channel, ears),
});
