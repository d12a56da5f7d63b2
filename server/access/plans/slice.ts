import type { Clock } from '#server/base/clock';
import type { Database } from '#server/base/store/database';
import { createPlans } from './plans.ts';
import { planRoutes } from './routes.ts';
import { createPlanStore } from './store.ts';

export const openPlans = ({ database, clock }: { database: Database; clock: Clock }) => {
  const plans = createPlans({ store: createPlanStore(database), clock });
  return {
    plans,
    routes: planRoutes({ plans }),
    chores: { 'remove the plan usage of past months': { every: '1 day', run: plans.purge } },
  };
};
