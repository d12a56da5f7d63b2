import type { Constraints } from '#contracts/providers';
import type { NetworkMedia, Problem } from '#server/networks/network';

/** One file against the limits for files of its kind. */
export const fileProblems = (
  file: NetworkMedia,
  path: string,
  { images, videos, documents }: Pick<Constraints['media'], 'images' | 'videos' | 'documents'>,
): Problem[] => {
  const limits = { Image: images, Video: videos, Document: documents }[file.kind];
  if (limits === undefined) {
    return [
      {
        path,
        code: 'MediaKind',
        message: `This network takes no ${file.kind.toLowerCase()}s here.`,
        limit: [...(images ? ['Image'] : []), ...(videos ? ['Video'] : []), ...(documents ? ['Document'] : [])].join(
          ', ',
        ),
        actual: file.kind,
      },
    ];
  }
  const problems: Problem[] = [];
  const over = (code: Problem['code'], message: string, limit: number | string, actual: number | string) =>
    problems.push({ path, code, message, limit, actual });
  if (!limits.mimeTypes.includes(file.mimeType)) {
    const accepted = limits.mimeTypes.map(formatOf).join(', ');
    over('MediaType', `It is ${formatOf(file.mimeType)}: use ${accepted}.`, limits.mimeTypes.join(', '), file.mimeType);
  }
  if (file.bytes > limits.maxBytes) over('MediaTooLarge', 'Use a smaller file.', limits.maxBytes, file.bytes);
  if (file.kind === 'Document') return problems;
  const ratio = Math.round((file.width / file.height) * 1000) / 1000;
  const { minRatio = 0, maxRatio = Number.POSITIVE_INFINITY } = (file.kind === 'Image' ? images : videos) ?? {};
  // Sides are whole pixels, so 1:3 may come out as 0.334.
  if (ratio < minRatio - 0.002) over('MediaRatio', 'It is too tall: crop it.', minRatio, ratio);
  if (ratio > maxRatio + 0.002) over('MediaRatio', 'It is too wide: crop it.', maxRatio, ratio);
  if (file.kind === 'Image' && images) {
    const { minWidth = 0, minHeight = 0, maxPixels = Number.POSITIVE_INFINITY, maxAltLength } = images;
    if (file.width < minWidth || file.height < minHeight) {
      over('MediaTooSmall', 'Use a larger image.', `${minWidth}x${minHeight}`, `${file.width}x${file.height}`);
    }
    if (file.width * file.height > maxPixels) {
      over('MediaTooLarge', 'Use an image with fewer pixels.', maxPixels, file.width * file.height);
    }
    if (maxAltLength !== undefined && (file.alt ?? '').length > maxAltLength) {
      over('AltTooLong', 'Shorten the alternative text.', maxAltLength, (file.alt ?? '').length);
    }
  }
  if (file.kind === 'Video' && videos) {
    const { minDurationMs = 0, maxDurationMs = Number.POSITIVE_INFINITY } = videos;
    // Without a duration in the file, the network has to decide.
    const { durationMs } = file;
    if (durationMs !== undefined && durationMs < minDurationMs) {
      over('VideoTooShort', 'Use a longer video.', minDurationMs, durationMs);
    }
    if (durationMs !== undefined && durationMs > maxDurationMs) {
      over('VideoTooLong', 'Use a shorter video.', maxDurationMs, durationMs);
    }
  }
  return problems;
};

/** As people call it: `MP4`, `MOV`, `JPEG`. */
const formatOf = (mimeType: string) =>
  mimeType === 'video/quicktime' ? 'MOV' : (mimeType.split('/').at(-1) ?? mimeType).replace(/^x-/, '').toUpperCase();
