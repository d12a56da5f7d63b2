import { sql as first } from './0001-first.ts';

/** Forward only: a migration that was released is never changed. */
export const migrations = [{ number: 1, name: 'first', sql: first }] as const;
