import { type Check, checksNamed, describeDuration } from '#server/health/check';
import { type DueKind, dueWork } from './notices.ts';
import type { KeptJob } from './overview.ts';

/** Loops look every few seconds; what waits for longer than this waits for a process that does not run. */
const patienceMs = 5 * 60_000;

/** `agesMs`: how long the oldest work of a kind has been due. Late posts have a check of their own. */
export const checkDueWork = (agesMs: ReadonlyMap<DueKind, number>): Check => {
  const work = checksNamed('due work');
  const waiting = [...agesMs].filter(([kind, ms]) => kind !== 'posts' && ms > patienceMs);
  if (waiting.length === 0) return work.ok('Nothing that is due waits for a process');
  const kinds = waiting.map(([kind, ms]) => `${dueWork[kind]} (for ${describeDuration(ms)})`);
  return work.failure(
    `Nobody takes up what is due: ${kinds.join(', ')}. Make sure that a process with the role jobs or all runs, and look at its log.`,
  );
};

/** `now` is the true time, which Agenda goes by. Outside production a service that is stopped is nothing to fail for. */
export const checkRecurringWork = (
  jobs: readonly KeptJob[],
  { now, production }: { now: Date; production: boolean },
): readonly Check[] => {
  const work = checksNamed('recurring work');
  const runs = jobs.flatMap(({ lastFinishedAt, lastRunAt }) => lastFinishedAt ?? lastRunAt ?? []);
  if (runs.length === 0) return [work.note('No recurring work has run yet: the first start sets it up')];
  const lastMs = Math.max(...runs.map((at) => new Date(at).getTime()));
  const idleMs = now.getTime() - lastMs;
  const state =
    idleMs > patienceMs
      ? work[production ? 'failure' : 'warning'](
          `The scheduler has stalled: recurring work last ran ${describeDuration(idleMs)} ago. Make sure that a process with the role jobs or all runs.`,
        )
      : work.ok('The scheduler runs');
  return [state, ...jobs.filter(hasFailed).map(({ name, failReason }) => work.warning(failed(name, failReason)))];
};

const hasFailed = ({ failedAt, lastFinishedAt }: KeptJob) =>
  failedAt != null && (lastFinishedAt == null || new Date(failedAt) >= new Date(lastFinishedAt));

const failed = (name: string, reason: string | null | undefined) =>
  `The recurring work "${name}" failed when it last ran${reason ? `: ${reason}` : ''}. The log has more; it runs again by itself.`;
