import { type Config, mediaFolder, SettingError } from '#server/base/config/config';
import { messageOf } from '#server/base/store/pg-errors';
import { createLocalFiles, type MediaFiles } from './files.ts';
import { createS3Files } from './s3-files.ts';

/** S3 or a local folder, as configured. */
export const openMediaFiles = (config: Config): MediaFiles =>
  config.media.s3 ? createS3Files(config.media.s3) : createLocalFiles(mediaFolder(config));

/** In the same words at the start and in doctor. */
export const mustStoreMedia = (files: MediaFiles, options?: Parameters<MediaFiles['check']>[0]) =>
  files.check(options).catch((cause: unknown) => {
    throw new SettingError(`The store for media cannot be used: ${messageOf(cause)}`, { cause });
  });
