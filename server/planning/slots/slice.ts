import type { Clock } from '#server/base/clock';
import type { Live } from '#server/base/live/live';
import type { Database } from '#server/base/store/database';
import type { Accounts } from '#server/connecting/accounts/accounts';
import { createSlotQueue } from './queue.ts';
import { slotRoutes } from './routes.ts';
import { createSlotStore } from './store.ts';

export const openSlots = ({
  database,
  accounts,
  live,
  clock,
}: {
  database: Database;
  accounts: Accounts;
  live: Live;
  clock: Clock;
}) => {
  const slots = createSlotQueue({ store: createSlotStore(database), accounts, live, clock });
  return { slots, routes: slotRoutes({ slots }) };
};
