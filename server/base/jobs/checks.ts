import { type Check, checksNamed, describeDuration } from '#server/base/health/check';
import { type DueKind, dueWork } from './due-work.ts';
import type { AgendaJob } from './overview.ts';

/** Loops poll every few seconds, so due work that is older than this means that no process runs it. */
const maxDelayMs = 5 * 60_000;

/** `agesMs`: how long the oldest work of a kind has been due. Late posts have a check of their own. */
export const checkDueWork = (agesMs: ReadonlyMap<DueKind, number>): Check => {
  const work = checksNamed('due work');
  const waiting = [...agesMs].filter(([kind, ms]) => kind !== 'posts' && ms > maxDelayMs);
  if (waiting.length === 0) return work.ok('Nothing that is due waits for a process');
  const kinds = waiting.map(([kind, ms]) => `${dueWork[kind]} (for ${describeDuration(ms)})`);
  return work.failure(
    `No process handles the due work: ${kinds.join(', ')}. Make sure that a process with the role jobs or all runs, and look at its log.`,
  );
};

/**
 * `now` is the wall clock time, which Agenda uses. Outside production a stopped service is normal, so only a warning.
 */
export const checkRecurringWork = (
  jobs: readonly AgendaJob[],
  { now, production }: { now: Date; production: boolean },
): readonly Check[] => {
  const work = checksNamed('recurring work');
  const runs = jobs.flatMap(({ lastFinishedAt, lastRunAt }) => lastFinishedAt ?? lastRunAt ?? []);
  if (runs.length === 0) return [work.note('No recurring work has run yet: the first start sets it up')];
  const lastMs = Math.max(...runs.map((at) => new Date(at).getTime()));
  const idleMs = now.getTime() - lastMs;
  const state =
    idleMs > maxDelayMs
      ? work[production ? 'failure' : 'warning'](
          `The scheduler has stalled: recurring work last ran ${describeDuration(idleMs)} ago. Make sure that a process with the role jobs or all runs.`,
        )
      : work.ok('The scheduler runs');
  return [
    state,
    ...jobs.filter(hasFailed).map(({ name, failReason }) => work.warning(describeFailure(name, failReason))),
  ];
};

const hasFailed = ({ failedAt, lastFinishedAt }: AgendaJob) =>
  failedAt != null && (lastFinishedAt == null || new Date(failedAt) >= new Date(lastFinishedAt));

const describeFailure = (name: string, reason: string | null | undefined) =>
  `The recurring work "${name}" failed when it last ran${reason ? `: ${reason}` : ''}. The log has more; it runs again by itself.`;
