import type { RunnableAction } from '#server/admission';
import type { Bin } from '#server/bin/bin';
import type { Lifecycle } from '#server/posts/lifecycle';
import type { Overview } from '#server/posts/overview';
import type { Reading } from '#server/posts/reading';
import type { SlotQueue } from '#server/slots/queue';
import { createBulk } from './bulk.ts';
import { bulkRoutes } from './routes.ts';

export const openBulk = ({
  actions,
  reading,
  lifecycle,
  overview,
  bin,
  slots,
}: {
  actions: ReadonlyMap<string, RunnableAction>;
  reading: Reading;
  lifecycle: Lifecycle;
  overview: Overview;
  bin: Bin;
  slots: SlotQueue;
}) => {
  const bulk = createBulk({ actions, reading, lifecycle, bin, slots });
  return { bulk, routes: bulkRoutes({ bulk, overview }) };
};
