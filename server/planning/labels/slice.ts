import type { Clock } from '#server/base/clock';
import type { Live } from '#server/base/live/live';
import type { Database } from '#server/base/store/database';
import type { Reading } from '#server/writing/posts/reading';
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
