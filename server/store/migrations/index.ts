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
import { sql as linkCards } from './0015-link-cards.ts';
import { sql as assistant } from './0016-assistant.ts';
import { sql as slots } from './0017-slots.ts';
import { sql as labelsTemplates } from './0018-labels-templates.ts';
import { sql as notifications } from './0019-notifications.ts';
import { sql as leaving } from './0020-leaving.ts';
import { sql as history } from './0021-history.ts';
import { sql as review } from './0022-review.ts';
import { sql as imports } from './0023-imports.ts';
import { sql as documents } from './0025-documents.ts';

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
  { number: 15, name: 'link-cards', sql: linkCards },
  { number: 16, name: 'assistant', sql: assistant },
  { number: 17, name: 'slots', sql: slots },
  { number: 18, name: 'labels-templates', sql: labelsTemplates },
  { number: 19, name: 'notifications', sql: notifications },
  { number: 20, name: 'leaving', sql: leaving },
  { number: 21, name: 'history', sql: history },
  { number: 22, name: 'review', sql: review },
  { number: 23, name: 'imports', sql: imports },
  { number: 24, name: 'kept-free-24', sql: 'select 1' },
  { number: 25, name: 'documents', sql: documents },
] as const;
