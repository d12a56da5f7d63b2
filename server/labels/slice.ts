import type { Clock } from '#server/clock';
import type { Live } from '#server/live/open-tabs';
import type { Database } from '#server/store/database';
import { createLabels } from './labelling.ts';
import { labelRoutes } from './routes.ts';
import { createLabelStore } from './store.ts';

export const openLabels = ({ database, live, clock }: { database: Database; live: Live; clock: Clock }) => {
  const labels = createLabels({ store: createLabelStore(database), live, clock });
  return { labels, routes: labelRoutes({ labels }) };
};
