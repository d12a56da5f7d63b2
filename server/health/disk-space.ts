import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Check, checksNamed } from './check.ts';

const gigabyte = 1e9;
const warningBytes = 2 * gigabyte;
const failureBytes = 0.2 * gigabyte;

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

export const checkDiskSpace = async (folder: string, measure = measureFreeBytes): Promise<Check> => {
  const disk = checksNamed('disk space');
  const bytes = await measure(folder);
  const free = `${(bytes / gigabyte).toFixed(1)} GB are free on the disk of ${folder}`;
  if (bytes >= warningBytes) return disk.ok(free);
  const message = `Only ${free}. Make room: without it nothing can be uploaded or published.`;
  return bytes >= failureBytes ? disk.warning(message) : disk.failure(message);
};
