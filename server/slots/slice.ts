import type { Accounts } from '#server/accounts/accounts';
import type { Clock } from '#server/clock';
import type { Live } from '#server/live/live';
import type { Database } from '#server/store/database';
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
