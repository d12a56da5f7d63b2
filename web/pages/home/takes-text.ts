import type { ProviderLimits } from '#generated/app-client';

/** Whether text alone is a valid post: no required media or option. */
export const takesText = (limits: ProviderLimits | undefined) =>
  limits !== undefined &&
  limits.constraints.media.min === 0 &&
  !limits.options.some(({ required, default: byDefault }) => required === true && byDefault === undefined);
