import type { JobParameters } from 'agenda';
import { type DueKind, dueWork } from './notices.ts';
import type { ServiceClock } from './scheduler.ts';

const kinds = Object.keys(dueWork) as DueKind[];

/** What recurs, when it ran last, when it will again and when something is due for it, in the time of the service. */
export const overviewOf = async ({
  jobs,
  msToNext,
  clock,
}: {
  /** As Agenda has them. */
  jobs: readonly JobParameters[];
  msToNext: (kind: DueKind) => Promise<number | undefined>;
  clock: Pick<ServiceClock, 'now' | 'history'>;
}) => {
  const shownAt = await clock.history();
  const due = new Map<string, Date | null>();
  // One after the other: a second connection would take longer.
  for (const kind of kinds) {
    const ms = await msToNext(kind);
    due.set(dueWork[kind], ms === undefined ? null : new Date(clock.now().getTime() + ms));
  }
  const shown = (instant: Date | null | undefined) => instant && shownAt(new Date(instant));
  return jobs
    .map(({ name, repeatInterval, lastFinishedAt, lastRunAt, nextRunAt, failedAt, failReason }) => ({
      name,
      every: repeatInterval,
      lastRunAt: shown(lastFinishedAt ?? lastRunAt),
      nextRunAt: shown(nextRunAt),
      ...(due.has(name) && { nextDueAt: due.get(name) }),
      ...(failedAt && { failedAt: shown(failedAt), failReason }),
    }))
    .toSorted((a, b) => a.name.localeCompare(b.name));
};
