import { type Config, mediaFolder } from '#server/config/config';
import { createLocalFiles, type MediaFiles } from './files.ts';
import { createS3Files } from './s3-files.ts';

/** S3 or a local folder, as configured. */
export const openMediaFiles = (config: Config): MediaFiles =>
  config.media.s3 ? createS3Files(config.media.s3) : createLocalFiles(mediaFolder(config));
