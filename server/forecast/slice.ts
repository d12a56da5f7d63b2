import type { AccountOutlooks } from '#server/accounts/outlook';
import type { Clock } from '#server/clock';
import { createDueLoop } from '#server/jobs/due-loop';
import type { LiveKind } from '#server/live/changes';
import type { Live } from '#server/live/live';
import type { MediaLibrary } from '#server/media/library';
import type { Notifications } from '#server/notifications/notifications';
import type { Plans } from '#server/plans/plans';
import type { Lifecycle } from '#server/posts/lifecycle';
import type { Overview } from '#server/posts/overview';
import type { Reading } from '#server/posts/reading';
import type { SlotQueue } from '#server/slots/queue';
import type { Database } from '#server/store/database';
import type { Deletion } from '#server/workspaces/deletion';
import { createForecast } from './forecast.ts';
import { forecastRoutes } from './routes.ts';
import { createForecastStore } from './store.ts';

/** Changes of these kinds can change the forecast. */
const relevant: ReadonlySet<string> = new Set<LiveKind>(['post', 'account', 'media', 'slot', 'workspace']);
/** A change of many posts emits many events, so wait this long and handle them together. */
const gatherMs = 200;

export const openForecast = ({
  database,
  reading,
  overview,
  lifecycle,
  outlooks,
  library,
  plans,
  slots,
  deletion,
  notifications,
  live,
  clock,
  report,
}: {
  database: Database;
  reading: Reading;
  overview: Overview;
  lifecycle: Lifecycle;
  outlooks: AccountOutlooks;
  library: MediaLibrary;
  plans: Plans;
  slots: SlotQueue;
  deletion: Deletion;
  notifications: Notifications;
  live: Live;
  clock: Clock;
  report: (error: unknown) => void;
}) => {
  const store = createForecastStore(database);
  const forecast = createForecast({
    store,
    reading,
    lifecycle,
    outlooks,
    library,
    plans,
    slots,
    deletion,
    notifications,
    live,
    clock,
  });
  /** Workspaces to check again. If the process dies, `findMissed` finds those that were lost with it. */
  const changed = new Set<string>();
  let isFirst = true;
  const loop = createDueLoop<string>({
    concurrency: 1,
    claim: async (limit) => {
      if (isFirst) await addMissed();
      isFirst = false;
      const [next] = changed;
      if (next === undefined) return store.claimDue(limit);
      changed.delete(next);
      return [next];
    },
    handle: async (workspaceId) => {
      try {
        await forecast.check(workspaceId);
      } catch (error) {
        await store.tryAgain(workspaceId);
        throw error;
      }
    },
    msToNext: async () => (changed.size > 0 ? 0 : store.msToNext()),
    gatherMs,
    report,
  });
  const addMissed = async () => {
    for (const workspaceId of await forecast.findMissed()) changed.add(workspaceId);
    loop.wake();
  };
  live.onChange(({ workspaceId, kind }) => {
    if (!relevant.has(kind)) return;
    changed.add(workspaceId);
    loop.wake();
  });
  return {
    forecast,
    loops: { forecasts: loop },
    chores: { 'find posts without a forecast': { every: '1 hour', run: addMissed } },
    routes: forecastRoutes({ forecast, reading, overview, clock }),
  };
};
