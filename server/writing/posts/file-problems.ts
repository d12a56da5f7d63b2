import type { Constraints } from '#contracts/providers';
import type { NetworkMedia, Problem } from '#server/networks/network';

/** Checks one file against the limits for files of its kind. */
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
        message: `This network accepts no ${file.kind.toLowerCase()}s here.`,
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
    problems.push(...codecProblems(file, path, videos));
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

/** The network has to judge what the file does not state. */
const codecProblems = (
  { videoCodec, audioCodec, frameRate, width }: NetworkMedia,
  path: string,
  { videoCodecs, audioCodecs, maxFrameRate, maxWidth }: NonNullable<Constraints['media']['videos']>,
): Problem[] => {
  const namesOf = (codecs: readonly string[]) => codecs.map(codecName).join(' or ');
  const problems: Problem[] = [];
  if (videoCodecs && videoCodec !== undefined && !videoCodecs.includes(videoCodec)) {
    const message = `The video is ${codecName(videoCodec)}, and this network accepts ${namesOf(videoCodecs)}: convert it.`;
    problems.push({ path, code: 'VideoCodec', message, limit: videoCodecs.join(', '), actual: videoCodec });
  }
  if (audioCodecs && audioCodec !== undefined && ![...audioCodecs, 'none'].includes(audioCodec)) {
    const message = `The sound is ${codecName(audioCodec)}, and this network accepts ${namesOf(audioCodecs)}: convert it.`;
    problems.push({ path, code: 'AudioCodec', message, limit: audioCodecs.join(', '), actual: audioCodec });
  }
  // Rates such as 60000/1001 are averages of a table, so a little above is no reason to refuse.
  if (maxFrameRate !== undefined && frameRate !== undefined && frameRate > maxFrameRate + 0.5) {
    const message = 'Its frame rate is too high: save it with a lower one.';
    problems.push({ path, code: 'FrameRate', message, limit: maxFrameRate, actual: frameRate });
  }
  if (maxWidth !== undefined && width > maxWidth) {
    const message = 'Use a video with a lower resolution.';
    problems.push({ path, code: 'MediaTooLarge', message, limit: maxWidth, actual: width });
  }
  return problems;
};

const codecNames: Readonly<Record<string, string>> = {
  h264: 'H.264',
  mpeg4: 'MPEG-4',
  prores: 'ProRes',
  mjpeg: 'Motion JPEG',
  opus: 'Opus',
  vorbis: 'Vorbis',
};

/** As people call it: `H.264`, `HEVC`, `AAC`. */
const codecName = (codec: string) => codecNames[codec] ?? codec.toUpperCase();

/** As people call it: `MP4`, `MOV`, `JPEG`. */
const formatOf = (mimeType: string) =>
  mimeType === 'video/quicktime' ? 'MOV' : (mimeType.split('/').at(-1) ?? mimeType).replace(/^x-/, '').toUpperCase();
