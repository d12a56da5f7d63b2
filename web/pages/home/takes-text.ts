import type { ProviderLimits } from '#generated/app-client';

/** Whether a network takes words alone: no media, no option that somebody must choose. */
export const takesText = (limits: ProviderLimits | undefined) =>
  limits !== undefined &&
  limits.constraints.media.min === 0 &&
  !limits.options.some(({ required, default: byDefault }) => required === true && byDefault === undefined);
