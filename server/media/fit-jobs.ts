import { randomUUID } from 'node:crypto';
import { Refusal } from '#server/base/errors';
import { createDueLoop, type DueLoop } from '#server/base/jobs/due-loop';
import type { FitJob, FitJobStore } from '#server/media/fits/store';
import { NoRoom } from './disk-reserve.ts';
import { type Ffmpeg, FitTrouble } from './ffmpeg.ts';
import type { FittedFiles } from './fitted-files.ts';

/** After this long without an extension the process is taken for dead, and another starts the job from the beginning. */
const leaseMs = 60_000;
const mostAttempts = 3;
const retryAfterMs = 30_000;
const diskRetryAfterMs = 300_000;
const percentEveryMs = 1_000;

/** Converts videos, one at a time because each takes most of a processor. Jobs of a killed process are started again. */
export const createFitJobs = ({
  store,
  fittedFiles,
  ffmpeg,
  report,
}: {
  store: FitJobStore;
  fittedFiles: FittedFiles;
  ffmpeg: Ffmpeg;
  report: (error: unknown) => void;
}): DueLoop => {
  let stopping = new AbortController();

  const createPercentReporter = (job: FitJob) => {
    let reportedAt = 0;
    return (percent: number) => {
      if (performance.now() - reportedAt < percentEveryMs) return;
      reportedAt = performance.now();
      store.setPercent(job, percent).catch(report);
    };
  };

  const handle = async (job: FitJob) => {
    try {
      await fittedFiles.makeVideo(job.workspaceId, job, {
        onPercent: createPercentReporter(job),
        signal: stopping.signal,
      });
    } catch (error) {
      if (error instanceof FitTrouble && error.why === 'Stopped') {
        await store.retry(job, job.attempts - 1, 0);
        return;
      }
      // A full disk is not the fault of the file, and the operator can free space, so retry instead of refusing the
      // file.
      if (isDiskFull(error)) {
        report(error);
        await store.retry(job, job.attempts - 1, diskRetryAfterMs);
        return;
      }
      const isGone = error instanceof Refusal && error.code === 'NotFound';
      if (!isGone) report(error);
      if (!isGone && job.attempts < mostAttempts) {
        await store.retry(job, job.attempts, retryAfterMs);
        return;
      }
      if (!isGone) await fittedFiles.refuse(job.workspaceId, job, 'Failed');
    }
    await store.remove(job);
  };

  /**
   * Without ffmpeg nothing is due here, because another instance may have it. Checks for ffmpeg only when a video
   * waits.
   */
  const msToNext = async () => {
    const ms = await store.msToNext();
    return ms === undefined || (await ffmpeg.version()) === undefined ? undefined : ms;
  };

  const loop = createDueLoop<FitJob>({
    concurrency: 1,
    claim: async (room) => ((await msToNext()) === undefined ? [] : store.claim(room, randomUUID(), leaseMs)),
    handle,
    msToNext,
    extend: {
      everyMs: leaseMs / 4,
      run: async (jobs) => {
        for (const job of jobs) await store.extend(job, leaseMs);
      },
    },
    report,
  });
  return {
    ...loop,
    start: () => {
      stopping = new AbortController();
      loop.start();
    },
    // Stopping aborts the running conversion. Another process, or the next start, runs it again.
    stop: (graceMs) => {
      stopping.abort();
      return loop.stop(graceMs);
    },
  };
};

const isDiskFull = (error: unknown) =>
  error instanceof NoRoom ||
  (error instanceof FitTrouble && error.why === 'DiskFull') ||
  (error instanceof Error && 'code' in error && error.code === 'ENOSPC');
