import type { AuditLog } from '#server/access/audit/audit-log';
import type { Clock } from '#server/base/clock';
import type { Database } from '#server/base/store/database';
import { createHold } from './hold.ts';
import { createHoldStore } from './store.ts';

type HoldParts = Parameters<typeof createHold>[0];

export const openHold = ({
  database,
  publishing,
  webhooks,
  messages,
  audit,
  wallClock,
}: {
  database: Database;
  publishing: { readonly heldPosts: HoldParts['posts'] };
  webhooks: { readonly heldDeliveries: HoldParts['deliveries'] };
  messages: { readonly heldMessages: HoldParts['messages'] };
  audit: AuditLog;
  wallClock: Clock;
}) => ({
  hold: createHold({
    store: createHoldStore(database),
    posts: publishing.heldPosts,
    deliveries: webhooks.heldDeliveries,
    messages: messages.heldMessages,
    audit,
    clock: wallClock,
  }),
});
