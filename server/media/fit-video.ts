import { open, stat } from 'node:fs/promises';
import { bounds } from '#server/base/bounds';
import type { FitMode } from '#server/networks/fit';
import { type Ffmpeg, FitTrouble, type Probe, threads } from './ffmpeg.ts';
import { BadFile } from './file-type.ts';
import type { PictureRefusal } from './fit-image.ts';
import { readVideo, type Video } from './video.ts';

/** Limits for the fitted video, which is always MP4 with H.264 and AAC. */
export interface VideoTarget {
  readonly kind: 'Video';
  readonly maxBytes: number;
  readonly minRatio?: number | undefined;
  readonly maxRatio?: number | undefined;
  readonly maxWidth?: number | undefined;
  readonly maxFrameRate?: number | undefined;
  /** The video is cut off at this time. */
  readonly cutMs?: number | undefined;
  /** A GIF repeats until it has this length. */
  readonly repeatMs?: number | undefined;
}

export const videoType = 'video/mp4';
export const videoCodec = 'h264';
export const audioCodec = 'aac';

/** Why a video cannot be fitted. `Broken`: ffmpeg cannot read it. */
export type VideoRefusal = 'Broken' | 'TooLong' | 'TooSmall' | 'TooBig' | 'TookTooLong';

/** Why a picture or a video cannot be fitted. `Failed`: several attempts failed. */
export type FitRefusal = PictureRefusal | VideoRefusal | 'Failed';

export type FittedVideo = { readonly refused: VideoRefusal } | Video;

export interface VideoSource {
  readonly path: string;
  readonly mimeType: string;
  /** As displayed. */
  readonly width: number;
  readonly height: number;
  readonly durationMs: number | null;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Networks show nothing larger, so more pixels would only take longer to convert. */
const longestSide = 1_920;
const shortestSide = 32;
/** Some networks refuse lower frame rates. */
const slowestFrameRate = 23;
const usualFrameRate = 30;
const fastestFrameRate = 60;
const audioBits = 128_000;
const mostVideoBits = 8_000_000;
/** At a lower bit rate the picture falls apart. */
const leastVideoBits = 150_000;
/** If less than this share of the duration is in the result, ffmpeg could not read the source. */
const leastShare = 0.5;
/** Share of the byte limit for audio and video. The rest is for tables and for inaccurate rate control. */
const headroom = 0.93;

/** Writes the fitted video to `output`. The same file, mode and target become the same bytes with the same ffmpeg. */
export const fitVideo = async (
  ffmpeg: Ffmpeg,
  source: VideoSource,
  mode: FitMode,
  target: VideoTarget,
  output: string,
  { onPercent, signal }: { onPercent: (percent: number) => void; signal?: AbortSignal | undefined },
): Promise<FittedVideo> => {
  const probe = await ffmpeg.probe(source.path, source.mimeType);
  if (probe === undefined) return { refused: 'Broken' };
  if (probe.width * probe.height > bounds.videoPixels) return { refused: 'TooBig' };
  const plan = planFor(probe, source, mode, target);
  for (const share of [1, 0.7]) {
    const args = argsFor(plan, probe, (await stat(source.path)).size, target, share);
    if (args === undefined) return { refused: 'TooLong' };
    const end = await ffmpeg.convert(
      { ...source, before: plan.before, args, output },
      { durationMs: plan.durationMs, onPercent, signal },
    );
    if (end.is === 'failed') {
      if (end.stderr.includes('No space left on device')) throw new FitTrouble('DiskFull');
      if (outOfMemory.test(end.stderr)) return { refused: 'TooBig' };
      return { refused: 'Broken' };
    }
    if (end.is === 'ended') {
      if (end.why === 'TookTooLong') return { refused: 'TookTooLong' };
      if (end.why === 'TooManyBytes') return { refused: 'TooLong' };
      throw new FitTrouble(end.why);
    }
    if ((await stat(output)).size <= target.maxBytes) {
      // ffmpeg skips what it cannot read, and a silent track has the full length anyway. So check the length of the
      // video stream.
      const { videoMs = 0 } = (await ffmpeg.probe(output, videoType)) ?? {};
      if (videoMs < plan.durationMs * leastShare) return { refused: 'Broken' };
      return factsOf(output).catch(unlessBroken);
    }
  }
  return { refused: 'TooLong' };
};

/** How ffmpeg and its codecs report it. */
const outOfMemory = /cannot allocate memory|malloc.*failed|failed to allocate/i;

/** Read with our own parser, like the properties of an upload. */
const factsOf = async (path: string): Promise<FittedVideo> => {
  const file = await open(path, 'r+');
  try {
    const facts = await readVideo(file, videoType);
    await file.sync();
    const isTooSmall = facts.width < shortestSide || facts.height < shortestSide;
    return isTooSmall ? { refused: 'TooSmall' } : facts;
  } finally {
    await file.close();
  }
};

/** An unreadable result means that ffmpeg found nothing to convert. */
const unlessBroken = (error: unknown): FittedVideo => {
  if (error instanceof BadFile) return { refused: 'Broken' };
  throw error;
};

interface Plan {
  readonly before: readonly string[];
  readonly filters: readonly string[];
  readonly durationMs: number;
  /** Whether the result is cut at `durationMs`. */
  readonly isCut: boolean;
}

const planFor = (probe: Probe, source: VideoSource, mode: FitMode, target: VideoTarget): Plan => {
  const ownMs = source.durationMs ?? probe.durationMs;
  const { cutMs = Number.POSITIVE_INFINITY, repeatMs = 0 } = target;
  const repeats = source.mimeType === 'image/gif' && ownMs > 0 ? Math.max(0, Math.ceil(repeatMs / ownMs) - 1) : 0;
  const durationMs = Math.min(ownMs * (repeats + 1), cutMs);
  return {
    before: repeats > 0 ? ['-stream_loop', String(repeats)] : [],
    // Scale before changing the frame rate: repeating small frames is faster than repeating large ones.
    filters: [...shapeFilters(source, mode, target), ...rateFilters(probe, source, target)],
    durationMs,
    isCut: cutMs < ownMs,
  };
};

const rateFilters = ({ frameRate }: Probe, { mimeType }: VideoSource, { maxFrameRate }: VideoTarget) => {
  const most = Math.min(maxFrameRate ?? fastestFrameRate, fastestFrameRate);
  // Each frame of a GIF has its own duration, so a GIF needs a constant frame rate.
  if (mimeType === 'image/gif' || (frameRate > 0 && frameRate < slowestFrameRate)) return [`fps=${usualFrameRate}`];
  return frameRate > most + 0.5 ? [`fps=${most}`] : [];
};

/** Empty when the size does not change. */
const shapeFilters = (source: VideoSource, mode: FitMode, target: VideoTarget): string[] => {
  const frame = frameOf(source, mode, target);
  const scale = Math.min(
    1,
    longestSide / Math.max(frame.width, frame.height),
    (target.maxWidth ?? Infinity) / frame.width,
  );
  const size = evenly({ width: frame.width * scale, height: frame.height * scale });
  if (size.width === source.width && size.height === source.height) return [];
  const to = `${size.width}:${size.height}`;
  if (mode === 'crop' && isMisshapen(source, target))
    return [`scale=${to}:force_original_aspect_ratio=increase`, `crop=${to}`, 'setsar=1'];
  if (mode === 'pad' && isMisshapen(source, target))
    return [`scale=${to}:force_original_aspect_ratio=decrease`, `pad=${to}:(ow-iw)/2:(oh-ih)/2:black`, 'setsar=1'];
  return [`scale=${to}`, 'setsar=1'];
};

const isMisshapen = ({ width, height }: Size, { minRatio = 0, maxRatio = Infinity }: VideoTarget) =>
  width / height < minRatio || width / height > maxRatio;

/** The crop or the padded canvas at full size, before scaling. */
const frameOf = (source: Size, mode: FitMode, target: VideoTarget): Size => {
  const { width, height } = source;
  const { minRatio = 0, maxRatio = Infinity } = target;
  if (mode === 'shrink' || !isMisshapen(source, target)) return { width, height };
  // Sides are rounded to even numbers, so aim for the middle when the allowed range is narrow.
  const middle = maxRatio / minRatio < 1.05 ? (minRatio + maxRatio) / 2 : undefined;
  const ratio = middle ?? (width / height < minRatio ? minRatio * 1.002 : maxRatio / 1.002);
  const isTall = width / height < ratio;
  if (mode === 'crop') return isTall ? { width, height: width / ratio } : { width: height * ratio, height };
  return isTall ? { width: height * ratio, height } : { width, height: width / ratio };
};

/** yuv420p stores colours at half the resolution, so both sides must be even. */
const evenly = ({ width, height }: Size): Size => ({
  width: Math.max(2, Math.round(width / 2) * 2),
  height: Math.max(2, Math.round(height / 2) * 2),
});

/** Undefined when the byte limit is too small for the duration. */
const argsFor = (
  { filters, durationMs, isCut }: Plan,
  probe: Probe,
  sourceBytes: number,
  { maxBytes }: VideoTarget,
  share: number,
): string[] | undefined => {
  const seconds = durationMs / 1000;
  const isCopied =
    share === 1 &&
    filters.length === 0 &&
    !isCut &&
    probe.videoCodec === videoCodec &&
    probe.pixelFormat === 'yuv420p' &&
    sourceBytes * 1.02 < maxBytes;
  const budget = seconds > 0 ? (maxBytes * 8 * headroom * share) / seconds - audioBits : mostVideoBits;
  if (!isCopied && budget < leastVideoBits) return undefined;
  const bits = Math.floor(Math.min(budget, mostVideoBits));
  const picture = isCopied
    ? ['-c:v', 'copy']
    : [
        ...(filters.length > 0 ? ['-vf', filters.join(',')] : []),
        ...['-c:v', 'libx264', '-preset', 'fast', '-profile:v', 'high', '-pix_fmt', 'yuv420p', '-threads', threads],
        ...['-crf', '21', '-maxrate', String(bits), '-bufsize', String(bits), '-g', '60'],
      ];
  const hasSound = probe.audioCodec !== undefined;
  const isSoundCopied = probe.audioCodec === audioCodec && isCopied;
  const sound = isSoundCopied
    ? ['-c:a', 'copy']
    : ['-c:a', 'aac', '-b:a', String(audioBits), '-ac', '2', '-ar', '48000'];
  return [
    // A silent track costs next to nothing, and serves networks that expect one.
    ...(hasSound ? [] : ['-f', 'lavfi', ...(seconds > 0 ? ['-t', String(seconds)] : []), '-i', silence]),
    ...['-map', '0:v:0', '-map', hasSound ? '0:a:0' : '1:a:0', '-dn', '-sn'],
    ...['-map_metadata', '-1', '-map_chapters', '-1', ...picture, ...sound],
    ...(isCut ? ['-t', String(seconds)] : []),
    ...(hasSound || seconds > 0 ? [] : ['-shortest']),
    ...[
      '-fflags',
      '+bitexact',
      '-flags:v',
      '+bitexact+cgop',
      '-flags:a',
      '+bitexact',
      '-max_muxing_queue_size',
      '1024',
    ],
    ...['-movflags', '+faststart', '-f', 'mp4'],
  ];
};

const silence = 'anullsrc=r=48000:cl=stereo';
