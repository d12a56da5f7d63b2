import type { ProviderLimits } from '#generated/app-client';

type Option = ProviderLimits['options'][number];

/** Whether the option's value is an id, which means nothing to people without its name. */
export const isIdOption = ({ searchable, perAccount }: Pick<Option, 'searchable' | 'perAccount'>): boolean =>
  searchable === true || perAccount === true;

/** A value as people know it: `Recipes`, `Id 549755885175` when nobody knows its name, `0:07.5` in a video. */
export const nameOfValue = (
  option: Pick<Option, 'searchable' | 'perAccount' | 'unitMs'>,
  choices: readonly { value: string; label: string }[] | undefined,
  value: string,
): string => {
  const choice = choices?.find((one) => one.value === value);
  if (choice) return choice.label;
  if (option.unitMs !== undefined) return formatMoment(Number(value) * option.unitMs);
  return isIdOption(option) ? `Id ${value}` : value;
};

/** `0:07.5` */
export const formatMoment = (ms: number): string => {
  const tenths = Math.round(ms / 100);
  const seconds = Math.floor(tenths / 10);
  const rest = tenths % 10 === 0 ? '' : `.${tenths % 10}`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}${rest}`;
};
