import { bounds } from '#server/base/bounds';
import { wakes } from '#server/base/jobs/due-work';
import { type Database, type RowOf, sql } from '#server/base/store/database';
import type { FitMode } from '#server/networks/fit';

export interface FittedFileKey {
  readonly mediaId: string;
  readonly mode: FitMode;
  /** A FitTarget as `targetText` serializes it. */
  readonly target: string;
}

/** A video conversion that this process has claimed until the lease ends; `attempts` includes this one. */
export interface FitJob extends RowOf<typeof claimJobs> {
  readonly claim: string;
}

const ofJob = 'workspace_id = :workspaceId and media_id = :mediaId and mode = :mode and target = :target';
/**
 * Skips what does not fit into the queue of the workspace: a later call adds it. The first new job gets the turn that is
 * running now, or the one after the last job of its workspace. A job that waits for a retry is no measure of the running
 * turn, because others have been run since.
 */
const addJobs = sql(
  'fitJobs.add',
  `with own as (select count(*) as jobs, max(turn) as last from fit_jobs where workspace_id = $1),
        running as (select min(turn) as turn from fit_jobs where claim is not null or due_at <= (select posthorn_now())),
        made as (
     insert into fit_jobs (workspace_id, media_id, mode, target, turn)
     select $1, request.media_id, request.mode, request.target,
            greatest(own.last + 1, running.turn, 0) - 1 + row_number() over (order by request.place)
       from own, running,
            unnest($2::text[], $3::text[], $4::text[]) with ordinality as request(media_id, mode, target, place)
      where exists (select from media m where m.workspace_id = $1 and m.id = request.media_id)
        and not exists (select from fit_jobs j where j.workspace_id = $1
                         and (j.media_id, j.mode, j.target) = (request.media_id, request.mode, request.target))
      order by request.place
      limit (select greatest($5 - jobs, 0) from own)
     on conflict do nothing returning 1)
   select ${wakes('fits')} from made limit 1`,
);
const hasRoom = sql('fitJobs.hasRoom', 'select from fit_jobs where workspace_id = $1 having count(*) < $2');
const claimJobs = sql(
  'fitJobs.claim',
  `with due as (
     select workspace_id, media_id, mode, target from fit_jobs where due_at <= (select posthorn_now())
      order by turn, due_at limit $1 for update skip locked
   )
   update fit_jobs j set claim = $2, due_at = posthorn_now() + $3 * interval '1 ms', attempts = j.attempts + 1
     from due
    where (j.workspace_id, j.media_id, j.mode, j.target) = (due.workspace_id, due.media_id, due.mode, due.target)
   returning j.workspace_id, j.media_id, j.mode, j.target, j.attempts`,
).holds<Pick<FittedFileKey, 'mode'>>();
const extendJob = sql(
  'fitJobs.extend',
  `update fit_jobs set due_at = posthorn_now() + $3 * interval '1 ms' where workspace_id = $1 and claim = $2`,
);
const setPercent = sql('fitJobs.setPercent', 'update fit_jobs set percent = $3 where workspace_id = $1 and claim = $2');
/** Not fenced by the claim: the work is finished, even if another process has claimed the job since. */
const removeJob = sql('fitJobs.remove', `delete from fit_jobs where ${ofJob}`);
const retryJob = sql(
  'fitJobs.retry',
  `update fit_jobs set claim = null, percent = null, attempts = :attempts, due_at = posthorn_now() + :inMs * interval '1 ms'
    where ${ofJob} and claim = :claim`,
);
const msToNextJob = sql(
  'fitJobs.msToNext',
  `select (extract(epoch from min(due_at) - posthorn_now()) * 1000)::float8 as ms from fit_jobs`,
);
const pendingJobs = sql(
  'fitJobs.pending',
  `select j.media_id, j.mode, j.target, j.percent
     from unnest($2::text[], $3::text[], $4::text[]) as request(media_id, mode, target)
     join fit_jobs j on j.workspace_id = $1
      and (j.media_id, j.mode, j.target) = (request.media_id, request.mode, request.target)`,
).holds<Pick<FittedFileKey, 'mode'>>();

export type FitJobStore = ReturnType<typeof createFitJobStore>;

export const createFitJobStore = (db: Database) => ({
  /** Simultaneous calls may exceed the bound by what they add: it keeps the queue short, and nothing depends on it. */
  add: (workspaceId: string, requests: readonly FittedFileKey[]) =>
    db.run(addJobs, [workspaceId, ...keyColumns(requests), bounds.videoFits]),

  /** Whether `add` would queue another one. */
  hasRoom: async (workspaceId: string) => (await db.query(hasRoom, [workspaceId, bounds.videoFits])).length > 0,

  pending: (workspaceId: string, requests: readonly FittedFileKey[]) =>
    db.query(pendingJobs, [workspaceId, ...keyColumns(requests)]),

  claim: async (room: number, claim: string, leaseMs: number) =>
    (await db.query(claimJobs, [room, claim, leaseMs])).map((job): FitJob => ({ ...job, claim })),

  extend: ({ workspaceId, claim }: FitJob, leaseMs: number) => db.run(extendJob, [workspaceId, claim, leaseMs]),

  setPercent: ({ workspaceId, claim }: FitJob, percent: number) => db.run(setPercent, [workspaceId, claim, percent]),

  remove: (job: FitJob) => db.run(removeJob, job),

  /** Releases the claim. The caller sets `attempts`, because not every failure counts as an attempt. */
  retry: (job: FitJob, attempts: number, inMs: number) => db.run(retryJob, { ...job, attempts, inMs }),

  msToNext: async () => (await db.query(msToNextJob))[0]?.ms ?? undefined,
});

/** For `unnest`. */
export const keyColumns = (requests: readonly FittedFileKey[]) =>
  [
    requests.map(({ mediaId }) => mediaId),
    requests.map(({ mode }) => mode),
    requests.map(({ target }) => target),
  ] as const;
