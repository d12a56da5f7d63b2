import { migrations } from '#server/store/migrations/index';
import type { Connection } from './connection.ts';

/** PostgreSQL shows it for each session: by it a migration that contracts sees who does not know it. */
export const inSessionName = <Given extends Connection>(connection: Given) => ({
  ...connection,
  application_name: `posthorn ${migrations.length}`,
});
