import { sql as first } from './0001-first.ts';
import { sql as people } from './0002-people.ts';
import { sql as media } from './0003-media.ts';
import { sql as publishing } from './0004-publishing.ts';
import { sql as webhooks } from './0005-webhooks.ts';
import { sql as statistics } from './0006-statistics.ts';
import { sql as analytics } from './0007-analytics.ts';
import { sql as avatars } from './0008-avatars.ts';
import { sql as deliveryTries } from './0009-delivery-tries.ts';
import { sql as sending } from './0010-sending.ts';
import { sql as signIn } from './0011-sign-in.ts';
import { sql as cards } from './0012-cards.ts';
import { sql as noRules } from './0013-no-rules.ts';
import { sql as refreshDue } from './0014-refresh-due.ts';
import { sql as assistant } from './0016-assistant.ts';

/** Forward only: a migration that was released is never changed. */
export const migrations = [
  { number: 1, name: 'first', sql: first },
  { number: 2, name: 'people', sql: people },
  { number: 3, name: 'media', sql: media },
  { number: 4, name: 'publishing', sql: publishing },
  { number: 5, name: 'webhooks', sql: webhooks },
  { number: 6, name: 'statistics', sql: statistics },
  { number: 7, name: 'analytics', sql: analytics },
  { number: 8, name: 'avatars', sql: avatars },
  { number: 9, name: 'delivery-tries', sql: deliveryTries },
  { number: 10, name: 'sending', sql: sending },
  { number: 11, name: 'sign-in', sql: signIn },
  { number: 12, name: 'cards', sql: cards },
  { number: 13, name: 'no-rules', sql: noRules },
  { number: 14, name: 'refresh-due', sql: refreshDue },
  // 15 is on its way.
  { number: 15, name: 'planning', sql: 'select 1' },
  { number: 16, name: 'assistant', sql: assistant },
] as const;
