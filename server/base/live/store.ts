import { type Database, sql } from '#server/base/store/database';
import { channel } from './changes.ts';

const notify = sql('live.notify', 'select pg_notify($1, payload) from unnest($2::text[]) as payload');

export type LiveStore = ReturnType<typeof createLiveStore>;

export const createLiveStore = (db: Database) => ({
  /** Delivered when the surrounding transaction commits. */
  notify: (payloads: readonly string[]) => db.query(notify, [channel, payloads]),
  listen: (listeners: { onNotification: (payload: string) => void; onConnect: () => void; onReconnect: () => void }) =>
    db.listen(channel, listeners),
});
