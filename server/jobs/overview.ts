import { type DueKind, dueWork } from './notices.ts';
import type { ServiceClock } from './scheduler.ts';

const kinds = Object.keys(dueWork) as DueKind[];

/** A job as Agenda has it. */
export interface KeptJob {
  readonly name: string;
  readonly repeatInterval?: string | number;
  readonly lastRunAt?: Instant;
  readonly lastFinishedAt?: Instant;
  readonly nextRunAt?: Instant;
  readonly failedAt?: Instant;
  readonly failReason?: string | null;
}

type Instant = Date | string | null;

/** What recurs, when it ran last, when it will again and when something is due for it, in the time of the service. */
export const overviewOf = async ({
  jobs,
  msToNext,
  clock,
}: {
  jobs: readonly KeptJob[];
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
  const shown = (instant: Instant | undefined) => instant && shownAt(new Date(instant));
  return (
    jobs
      .map(({ name, repeatInterval, lastFinishedAt, lastRunAt, nextRunAt, failedAt, failReason }) => ({
        name,
        every: repeatInterval,
        lastRunAt: shown(lastFinishedAt ?? lastRunAt ?? undefined),
        nextRunAt: shown(nextRunAt),
        ...(due.has(name) && { nextDueAt: due.get(name) }),
        ...(failedAt && { failedAt: shown(failedAt), failReason }),
      }))
      // Not by the rules of a language, which take longer to load than all else here.
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  );
};
