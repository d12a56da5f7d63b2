import type { Clock } from '#server/base/clock';
import type { MediaFiles } from './files.ts';
import type { FittedFileStore } from './fitted-file-store.ts';
import { sweepIncoming } from './incoming.ts';
import type { MediaStore } from './media-store.ts';
import type { ResumableStore } from './resumable-upload-store.ts';

/** Longer than an upload may take, so that no file is swept whose row is about to be written. */
const graceMs = 3 * 3_600_000;
const unusedMs = 24 * 3_600_000;
const batch = 500;
const ours = /^((?:media|upl)_[0-9A-Z]{26}|fit_[0-9a-f]{32})(\.thumbnail|\.[0-9a-f]{16})?$/;

/**
 * Old is a file that is old by two clocks: that of this process, and that of the database. One of them alone may be a day
 * ahead, and would end the uploads of everybody. The sandbox clock is neither, because it may be moved during an upload.
 */
const oldest = async (store: Pick<MediaStore, 'now'>, wallClock: Clock) =>
  new Date(Math.min(wallClock.now().getTime(), (await store.now()).getTime()) - graceMs);

/** A killed process leaves partial uploads in its own folder, which other instances may not see: each sweeps at startup. */
export const createIncomingSweep =
  ({
    store,
    incomingFolder,
    wallClock,
  }: {
    store: Pick<MediaStore, 'now'>;
    incomingFolder: string;
    wallClock: Clock;
  }) =>
  async () =>
    sweepIncoming(incomingFolder, await oldest(store, wallClock));

/** Removes unused fitted files, and files without a row: a process died between the two writes, or the workspace was deleted. */
export const createSweep =
  ({
    store,
    fittedFileStore,
    resumableStore,
    files,
    incomingFolder,
    clock,
    wallClock,
  }: {
    store: MediaStore;
    fittedFileStore: FittedFileStore;
    resumableStore: Pick<ResumableStore, 'existing'>;
    files: MediaFiles;
    incomingFolder: string;
    clock: Clock;
    wallClock: Clock;
  }) =>
  async (): Promise<number> => {
    const before = await oldest(store, wallClock);
    await sweepIncoming(incomingFolder, before);
    // Rows only: their files become orphans and are removed below, or by a later sweep.
    await fittedFileStore.removeUnused(new Date(clock.now().getTime() - unusedMs));
    let removed = 0;
    let old: string[] = [];
    const removeOrphans = async () => {
      const ids = old.map(idOf);
      const existing = new Set(
        (await Promise.all([store, fittedFileStore, resumableStore].map((rows) => rows.existing(ids)))).flat(),
      );
      for (const key of old.filter((one) => !existing.has(idOf(one)))) {
        await files.remove(key);
        removed++;
      }
      old = [];
    };
    for await (const { key, changedAt } of files.list()) {
      if (changedAt < before && ours.test(key)) old.push(key);
      if (old.length === batch) await removeOrphans();
    }
    await removeOrphans();
    return removed;
  };

const idOf = (key: string) => key.replace(ours, '$1');
