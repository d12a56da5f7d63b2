import type { FileHandle } from 'node:fs/promises';
import { bounds } from '#server/base/bounds';
import { tooManyPixels } from './file-type.ts';
import { readIsoFile } from './iso-file.ts';
import { damaged } from './video-file.ts';
import { readWebm } from './webm-file.ts';

export interface Video {
  readonly width: number;
  readonly height: number;
  /** Absent when the file does not say, as with recordings made by a browser. */
  readonly durationMs?: number;
  /** As ffmpeg names it: `h264`, `hevc`, `vp9`. Absent when unknown. */
  readonly videoCodec?: string;
  /** `none` without sound. */
  readonly audioCodec?: string;
  /** Frames per second, on average. */
  readonly frameRate?: number;
}

/** No camera exceeds it, but a header can claim any size. */
const longestSide = 65_536;
/** 24 days, the most that the column holds: a longer duration counts as unknown. */
const longestMs = 2 ** 31 - 1;
/** A higher frame rate comes from a damaged table. */
const fastest = 1_000;

/** Reads the tables of the file, never its frames. Location and device data are overwritten. */
export const readVideo = async (file: FileHandle, mimeType: string): Promise<Video> => {
  const { size } = await file.stat();
  const { width, height, durationMs, videoCodec, audioCodec, frameRate } = await (mimeType === 'video/webm'
    ? readWebm
    : readIsoFile)(file, size).catch((error: unknown) => {
    // A number in the file points outside its buffer.
    throw error instanceof RangeError ? damaged() : error;
  });
  if (!(width >= 1 && height >= 1 && width <= longestSide && height <= longestSide)) throw damaged();
  if (width * height > bounds.videoPixels) throw tooManyPixels(bounds.videoPixels);
  const isKnown = durationMs !== undefined && durationMs > 0 && durationMs <= longestMs;
  return {
    width,
    height,
    ...(isKnown && { durationMs: Math.round(durationMs) }),
    ...(videoCodec !== undefined && { videoCodec }),
    ...(audioCodec !== undefined && { audioCodec }),
    ...(frameRate !== undefined && frameRate <= fastest && { frameRate: Math.round(frameRate * 1000) / 1000 }),
  };
};
