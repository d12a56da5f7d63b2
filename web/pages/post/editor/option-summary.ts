import type { MediaItem } from '#generated/app-client';
import { formatMoment, isIdOption } from '#web/parts/option-value.ts';
import type { Side } from './draft.ts';
import type { Option } from './limits.ts';

/** Whether an option applies to a post with these media. */
export const fitsMedia = (
  { media }: Pick<Option, 'media'>,
  { items }: Side,
  mediaOf: (id: string) => Pick<MediaItem, 'kind'> | undefined,
): boolean => {
  if (media === undefined) return true;
  if (media.includes('None') && (items[0]?.media.length ?? 0) === 0) return true;
  return items.some((item) => item.media.some((id) => media.includes(mediaOf(id)?.kind ?? 'Image')));
};

/** `Who can reply: Your followers, content warning “Bread”`; empty when nothing is set. */
export const summarizeOptions = (
  options: readonly Option[],
  values: Side['options'],
  choicesOf: (key: string) => Option['choices'],
): string => {
  const phrases = options.flatMap((option) => {
    const value = values[option.key] ?? '';
    return value === '' ? [] : [describe(option, value, choicesOf(option.key) ?? option.choices)];
  });
  return phrases.map((phrase, index) => (index === 0 ? phrase : lowerFirst(phrase))).join(', ');
};

const describe = (option: Option, value: string, choices: Option['choices']): string => {
  const { label, type } = option;
  const choice = choices?.find((one) => one.value === value);
  if (choice) return `${label}: ${choice.label}`;
  if (type === 'Boolean') return value === 'true' ? label : `${label}: no`;
  if (option.unitMs !== undefined) return `${label}: ${formatMoment(Number(value) * option.unitMs)}`;
  // Their values are ids or JSON, which say nothing to people.
  if (isIdOption(option) || type === 'Media' || type === 'Focus' || type === 'Poll' || type === 'Instant') return label;
  return `${label} “${value}”`;
};

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
