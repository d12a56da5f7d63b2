import { sql as first } from './0001-first.ts';
import { sql as people } from './0002-people.ts';
import { sql as media } from './0003-media.ts';
import { sql as analytics } from './0006-analytics.ts';

/** Forward only: a migration that was released is never changed. */
export const migrations = [
  { number: 1, name: 'first', sql: first },
  { number: 2, name: 'people', sql: people },
  { number: 3, name: 'media', sql: media },
  { number: 4, name: 'analytics', sql: analytics },
] as const;
