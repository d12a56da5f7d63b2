import type { Clock } from '#server/clock';
import type { Live } from '#server/live/live';
import type { Reading } from '#server/posts/reading';
import type { Database } from '#server/store/database';
import { createLabels } from './labels.ts';
import { labelRoutes } from './routes.ts';
import { createLabelStore } from './store.ts';

export const openLabels = ({
  database,
  reading,
  live,
  clock,
}: {
  database: Database;
  reading: Reading;
  live: Live;
  clock: Clock;
}) => {
  const labels = createLabels({ store: createLabelStore(database), reading, live, clock });
  return { labels, routes: labelRoutes({ labels }) };
};
