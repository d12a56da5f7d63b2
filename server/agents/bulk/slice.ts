import type { RunnableAction } from '#server/agents/admission';
import type { RunOrAsk } from '#server/agents/run-or-ask';
import type { Bin } from '#server/planning/bin/bin';
import type { SlotQueue } from '#server/planning/slots/queue';
import type { Imports } from '#server/planning/transfer/imports';
import type { Overview } from '#server/writing/posts/overview';
import type { Reading } from '#server/writing/posts/reading';
import { createBulk } from './bulk.ts';
import { bulkRoutes } from './routes.ts';
import { createScheduleImport } from './schedule-import.ts';

export const openBulk = ({
  actions,
  runOrAsk,
  imports,
  reading,
  overview,
  bin,
  slots,
}: {
  actions: ReadonlyMap<string, RunnableAction>;
  runOrAsk: RunOrAsk;
  imports: Pick<Imports, 'scheduleEach'>;
  reading: Reading;
  overview: Overview;
  bin: Bin;
  slots: SlotQueue;
}) => {
  const bulk = createBulk({ actions, runOrAsk, reading, bin, slots });
  const scheduleImport = createScheduleImport({ actions, runOrAsk, imports });
  return { bulk, routes: bulkRoutes({ bulk, scheduleImport, overview }) };
};
