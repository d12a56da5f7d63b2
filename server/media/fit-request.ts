import type { FitMode } from '#server/networks/fit';
import type { FitTarget } from './fit-image.ts';
import type { VideoTarget } from './fit-video.ts';

/** A picture or video to fit, and the mode and target to fit it with. */
export interface FitRequest {
  readonly mediaId: string;
  readonly mode: FitMode;
  /** A `FitTarget` or `VideoTarget` as `targetText` and `videoTargetText` write it. */
  readonly target: string;
}

export const requestKey = ({ mediaId, mode, target }: FitRequest) => `${mediaId} ${mode} ${target}`;

/** Part of the key of a fitted file, so the order of fields is fixed. */
export const targetText = ({ mimeTypes, maxBytes, maxPixels, minRatio, maxRatio, minWidth, minHeight }: FitTarget) =>
  JSON.stringify({ mimeTypes, maxBytes, maxPixels, minRatio, maxRatio, minWidth, minHeight });

export const videoTargetText = (target: Omit<VideoTarget, 'kind'>) => {
  const { maxBytes, minRatio, maxRatio, maxWidth, maxFrameRate, cutMs, repeatMs } = target;
  return JSON.stringify({ kind: 'Video', maxBytes, minRatio, maxRatio, maxWidth, maxFrameRate, cutMs, repeatMs });
};

/** Whether the result is a video, which takes long to convert. */
export const isVideoFit = ({ target }: Pick<FitRequest, 'target'>) => target.startsWith('{"kind":"Video"');
