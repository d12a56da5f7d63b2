import { setTimeout as sleep } from 'node:timers/promises';
import type { Plans } from '#server/access/plans/plans';
import type { Clock } from '#server/base/clock';
import { createDueLoop } from '#server/base/jobs/due-loop';
import type { LiveKind } from '#server/base/live/changes';
import type { Live } from '#server/base/live/live';
import type { Database } from '#server/base/store/database';
import type { AccountOutlooks } from '#server/connecting/accounts/outlook';
import type { MediaLibrary } from '#server/media/library';
import type { Notifications } from '#server/messaging/notifications/notifications';
import type { Networks } from '#server/networks/registry';
import type { Deletion } from '#server/people/workspaces/deletion';
import type { SlotQueue } from '#server/planning/slots/queue';
import type { Overview } from '#server/writing/posts/overview';
import type { Readiness } from '#server/writing/posts/readiness';
import type { Reading } from '#server/writing/posts/reading';
import type { ScheduledPosts } from '#server/writing/posts/scheduled-posts';
import { createForecast } from './forecast.ts';
import { createJudge } from './judge.ts';
import { forecastRoutes } from './routes.ts';
import { createForecastStore } from './store.ts';

/** Changes of these kinds can change every forecast of a workspace. */
const sharedByAll: ReadonlySet<string> = new Set<LiveKind>(['account', 'slot', 'workspace']);
/** A change of many posts emits many events, so wait this long and handle them together. */
const gatherMs = 200;
const mostPosts = 200;
/** More changed posts of one workspace than this are not remembered one by one: it is checked whole. */
const mostChanged = 5_000;
/** How long a page of a check lets sends and deliveries go first. */
const mostWaitMs = 1_000;
const waitStepMs = 20;

type Step =
  | { readonly is: 'changed'; readonly workspaceId: string; readonly postIds: readonly string[] }
  | { readonly is: 'page'; readonly workspaceId: string };

export const openForecast = ({
  database,
  reading,
  scheduled,
  overview,
  readiness,
  mediaUse,
  outlooks,
  networks,
  library,
  plans,
  slots,
  deletion,
  notifications,
  live,
  isSending,
  clock,
  report,
}: {
  database: Database;
  reading: Reading;
  scheduled: ScheduledPosts;
  overview: Overview;
  readiness: Readiness;
  mediaUse: { isScheduled(workspaceId: string, mediaId: string): Promise<boolean> };
  outlooks: AccountOutlooks;
  networks: Networks;
  library: MediaLibrary;
  plans: Plans;
  slots: SlotQueue;
  deletion: Deletion;
  notifications: Notifications;
  live: Live;
  /** Whether this process is sending posts or deliveries. */
  isSending: () => boolean;
  clock: Clock;
  report: (error: unknown) => void;
}) => {
  const store = createForecastStore(database);
  const judge = createJudge({ scheduled, reading, readiness, library, plans, slots, deletion, clock });
  const forecast = createForecast({ store, scheduled, judge, reading, outlooks, networks, notifications, live, clock });

  /** Changed posts by workspace. If the process dies, `addMissed` finds those that were lost with it. */
  const changed = new Map<string, Set<string>>();
  /** Only a process that runs the loop remembers posts. */
  let isFollowing = false;
  let isFirst = true;
  let missedSince: Date | null = null;
  let wasPage = true;

  const add = async (workspaceId: string, postId: string) => {
    const ids = changed.get(workspaceId) ?? new Set();
    changed.set(workspaceId, ids.add(postId));
    if (ids.size <= mostChanged) return;
    changed.delete(workspaceId);
    await store.request(workspaceId, `many ${postId}`);
  };

  const addMissed = async () => {
    const startedAt = clock.now();
    for (const id of await scheduled.neverChecked()) await store.request(id, 'first');
    for (const { workspaceId, id } of await scheduled.missed(missedSince, mostChanged + 1)) await add(workspaceId, id);
    missedSince = startedAt;
    loop.wake();
  };

  const nextChanged = (): Step[] => {
    const [next] = changed;
    if (next === undefined) return [];
    const [workspaceId, ids] = next;
    const postIds = [...ids].slice(0, mostPosts);
    for (const id of postIds) ids.delete(id);
    // The next step is that of another workspace.
    changed.delete(workspaceId);
    if (ids.size > 0) changed.set(workspaceId, ids);
    return [{ is: 'changed', workspaceId, postIds }];
  };
  const nextPage = async (): Promise<Step[]> =>
    (await store.claimDue(1)).map((workspaceId) => ({ is: 'page', workspaceId }));

  const letSendsGoFirst = async () => {
    for (let waitedMs = 0; isSending() && waitedMs < mostWaitMs; waitedMs += waitStepMs) await sleep(waitStepMs);
  };

  const loop = createDueLoop<Step>({
    concurrency: 1,
    /** In turns, so that neither waits for the end of the other. */
    claim: async () => {
      isFollowing = true;
      if (isFirst) await addMissed();
      isFirst = false;
      const first = wasPage ? nextChanged() : await nextPage();
      const steps = first.length > 0 ? first : wasPage ? await nextPage() : nextChanged();
      wasPage = steps[0]?.is !== 'changed';
      return steps;
    },
    handle: async (step) => {
      try {
        if (step.is === 'changed') return await forecast.judgeChanged(step.workspaceId, step.postIds);
        await letSendsGoFirst();
        await forecast.judgePage(step.workspaceId);
      } catch (error) {
        if (step.is === 'changed') await store.request(step.workspaceId, `failed ${step.postIds[0]}`);
        else await store.tryAgain(step.workspaceId);
        throw error;
      }
    },
    msToNext: async () => (changed.size > 0 ? 0 : store.msToNext()),
    gatherMs,
    report,
  });

  const request = (workspaceId: string, eventId: string) => store.request(workspaceId, eventId).then(loop.wake, report);
  live.onChange(({ workspaceId, kind, id = '', eventId }) => {
    if (sharedByAll.has(kind)) void request(workspaceId, eventId);
    if (!isFollowing) return;
    if (kind === 'post') add(workspaceId, id).then(loop.wake, report);
    if (kind === 'media') {
      mediaUse
        .isScheduled(workspaceId, id)
        .then((isUsed) => (isUsed ? request(workspaceId, eventId) : undefined), report);
    }
  });

  return {
    forecast,
    loops: { forecasts: loop },
    chores: { 'find posts without a forecast': { every: '1 hour', run: addMissed } },
    routes: forecastRoutes({ forecast, reading, overview, clock }),
  };
};
