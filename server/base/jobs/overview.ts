import { type DueKind, dueWork } from './due-work.ts';
import type { ServiceClock } from './scheduler.ts';

const kinds = Object.keys(dueWork) as DueKind[];

/** The columns of Agenda's job table that we read. */
export interface AgendaJob {
  readonly name: string;
  readonly repeatInterval?: string | number;
  readonly lastRunAt?: Instant;
  readonly lastFinishedAt?: Instant;
  readonly nextRunAt?: Instant;
  readonly failedAt?: Instant;
  readonly failReason?: string | null;
}

type Instant = Date | string | null;

/** Recurring jobs with their last run, next run and next due row. Times are shown by the service's clock. */
export const overviewOf = async ({
  jobs,
  msToNext,
  clock,
}: {
  jobs: readonly AgendaJob[];
  msToNext: (kind: DueKind) => Promise<number | undefined>;
  clock: Pick<ServiceClock, 'now' | 'history'>;
}) => {
  const toServiceTime = await clock.history();
  const due = new Map<string, Date | null>();
  // Sequential: opening a second connection would take longer than the queries.
  for (const kind of kinds) {
    const ms = await msToNext(kind);
    due.set(dueWork[kind], ms === undefined ? null : new Date(clock.now().getTime() + ms));
  }
  const show = (instant: Instant | undefined) => instant && toServiceTime(new Date(instant));
  return (
    jobs
      .map(({ name, repeatInterval, lastFinishedAt, lastRunAt, nextRunAt, failedAt, failReason }) => ({
        name,
        every: repeatInterval,
        lastRunAt: show(lastFinishedAt ?? lastRunAt ?? undefined),
        nextRunAt: show(nextRunAt),
        ...(due.has(name) && { nextDueAt: due.get(name) }),
        ...(failedAt && { failedAt: show(failedAt), failReason }),
      }))
      // Not localeCompare: loading its collation data takes longer than the whole command.
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  );
};
