import type { Clock } from '#server/clock';
import type { MediaFiles } from './files.ts';
import type { Incoming } from './incoming.ts';
import type { MediaStore, RenditionStore } from './store.ts';

/**
 * Longer than an upload may take, so that nothing is swept whose row is about to be written. By the clock on the wall, as files
 * are dated: that of the sandbox may be hours ahead while an upload is under way.
 */
const graceMs = 3 * 3_600_000;
const unusedMs = 24 * 3_600_000;
const batch = 500;
const ours = /^(media_[0-9A-Z]{26}|fit_[0-9a-f]{32})(\.thumbnail)?$/;

/** What a killed process left of an upload in its own folder: each instance looks at its start, as no other may see it. */
export const createIncomingSweep =
  ({ incoming, wallClock }: { incoming: Incoming; wallClock: Clock }) =>
  () =>
    incoming.sweep(new Date(wallClock.now().getTime() - graceMs));

/** Removes renditions that no post goes out with, and files that no row knows: a process ended between the two, or a workspace is gone. */
export const createSweep =
  ({
    store,
    renditionStore,
    files,
    incoming,
    clock,
    wallClock,
  }: {
    store: MediaStore;
    renditionStore: RenditionStore;
    files: MediaFiles;
    incoming: Incoming;
    clock: Clock;
    wallClock: Clock;
  }) =>
  async (): Promise<number> => {
    const before = new Date(wallClock.now().getTime() - graceMs);
    await incoming.sweep(before);
    // Rows alone: their files go once nothing knows them.
    await renditionStore.removeUnused(new Date(clock.now().getTime() - unusedMs));
    let removed = 0;
    let old: string[] = [];
    const removeOrphans = async () => {
      const ids = old.map(idOf);
      const known = new Set([...(await store.known(ids)), ...(await renditionStore.known(ids))]);
      for (const key of old.filter((one) => !known.has(idOf(one)))) {
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
