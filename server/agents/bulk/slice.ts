import type { RunnableAction } from '#server/agents/admission';
import type { AskInstead } from '#server/base/context';
import type { Bin } from '#server/planning/bin/bin';
import type { SlotQueue } from '#server/planning/slots/queue';
import type { Overview } from '#server/writing/posts/overview';
import type { Reading } from '#server/writing/posts/reading';
import { createBulk } from './bulk.ts';
import { bulkRoutes } from './routes.ts';

export const openBulk = ({
  actions,
  askInstead,
  reading,
  overview,
  bin,
  slots,
}: {
  actions: ReadonlyMap<string, RunnableAction>;
  askInstead: AskInstead;
  reading: Reading;
  overview: Overview;
  bin: Bin;
  slots: SlotQueue;
}) => {
  const bulk = createBulk({ actions, askInstead, reading, bin, slots });
  return { bulk, routes: bulkRoutes({ bulk, overview }) };
};
