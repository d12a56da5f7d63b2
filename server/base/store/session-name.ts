import { migrations } from '#server/base/store/migrations/index';
import type { Connection } from './connection.ts';

/** The application name of every session. A contracting migration reads from it which processes are too old. */
export const inSessionName = <Config extends Connection>(connection: Config) => ({
  ...connection,
  application_name: `posthorn ${migrations.length}`,
});
