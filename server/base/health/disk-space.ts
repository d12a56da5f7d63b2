import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Check, checksNamed } from './check.ts';

const gigabyte = 1e9;
/** Above the reserve, so that somebody can make room before uploads are refused. */
const warningBytes = 1.5 * gigabyte;

export type MeasureFreeBytes = (folder: string) => Promise<number>;

/** A folder that does not exist yet counts by its parent. */
export const measureFreeBytes: MeasureFreeBytes = async (folder) => {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    return measureFreeBytes(parent);
  }
};

/** Fails when uploads are refused. */
export const checkDiskSpace = async (
  folder: string,
  reserveBytes: number,
  measure = measureFreeBytes,
): Promise<Check> => {
  const disk = checksNamed('disk space');
  const bytes = await measure(folder);
  const free = `${(bytes / gigabyte).toFixed(1)} GB are free on the disk of ${folder}`;
  if (bytes >= reserveBytes + warningBytes) return disk.ok(free);
  if (bytes >= reserveBytes)
    return disk.warning(`Only ${free}. Make room: without it nothing can be uploaded or published.`);
  return disk.failure(
    `Only ${free}, so uploads are refused (DISK_RESERVE_MB). Make room, before the database has none.`,
  );
};
