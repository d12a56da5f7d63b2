import { access, constants, lstat, mkdir, readlink, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SettingError } from '#server/base/config/config';

/** Checks that files can be written to this folder, or that it can be made. `kept` is such as `media is`. */
export const mustBeUsable = async (folder: string, kept: string) => {
  const nearest = await nearestFolder(folder, kept);
  await access(nearest, constants.W_OK).catch(explainForbidden(nearest));
};

export const makeFolder = async (folder: string, kept: string) => {
  await nearestFolder(folder, kept);
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(explainForbidden(folder));
};

/** The folder itself, or the closest parent that exists. */
const nearestFolder = async (folder: string, kept: string): Promise<string> => {
  const stats = await unlessMissing(stat(folder));
  if (stats === undefined) {
    await refuseDanglingLink(folder);
    return nearestFolder(dirname(folder), kept);
  }
  if (!stats.isDirectory()) {
    throw new SettingError(`${folder} is a file. Move it away: ${kept} kept in a folder of that name.`);
  }
  return folder;
};

/** `stat` follows links, and `mkdir` would fail with a message that says nothing of them. */
const refuseDanglingLink = async (path: string) => {
  if ((await unlessMissing(lstat(path)))?.isSymbolicLink()) {
    throw new SettingError(
      `${path} is a link to ${await readlink(path)}, which does not exist. Mount the disk that it is on, make that folder, or remove the link.`,
    );
  }
};

const forbiddenCodes: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS'];

/** For `catch`: a folder that may not be written to is a mistake in the settings. */
export const explainForbidden = (folder: string) => (error: NodeJS.ErrnoException) => {
  if (!forbiddenCodes.includes(error.code)) throw error;
  throw new SettingError(
    `Posthorn cannot write to ${folder} (${error.code}). Let the user that it runs as write there; under systemd, add the folder to ReadWritePaths.`,
  );
};

export const unlessMissing = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
