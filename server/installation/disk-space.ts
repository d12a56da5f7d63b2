import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Check, checksNamed } from '#server/health/check';

const gigabyte = 1e9;
const scarceBytes = 2 * gigabyte;
const tooLittleBytes = 0.2 * gigabyte;

export type MeasureFreeBytes = (folder: string) => Promise<number>;

/** Of the file system that the folder is on, or will be on. */
export const measureFreeBytes: MeasureFreeBytes = async (folder) => {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    const above = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw error;
    return measureFreeBytes(above);
  }
};

export const checkDiskSpace = async (folder: string, measure = measureFreeBytes): Promise<Check> => {
  const disk = checksNamed('disk space');
  const bytes = await measure(folder);
  const free = `${(bytes / gigabyte).toFixed(1)} GB are free on the disk of ${folder}`;
  if (bytes >= scarceBytes) return disk.ok(free);
  const message = `Only ${free}. Make room: without it nothing can be uploaded or published.`;
  return bytes >= tooLittleBytes ? disk.warning(message) : disk.failure(message);
};
