import type { ProviderLimits } from '#generated/app-client';

export type Constraints = ProviderLimits['constraints'];
export type Option = ProviderLimits['options'][number];
export type Choice = NonNullable<Option['choices']>[number];
