import type { Constraints, Option } from '#contracts/providers';

/** Decimal: a network that means 1 048 576 loses a little, but nothing is refused after it was approved. */
export const MB = 1_000_000;
export const GB = 1_000 * MB;

export const seconds = (count: number): number => count * 1_000;
export const minutes = (count: number): number => seconds(count * 60);

/** No network documents a maximum; 25 is ours. */
export const replies: Constraints['thread'] = { max: 25, form: 'Replies' };
export const comments: Constraints['thread'] = { max: 25, form: 'Comments' };
export const noThread: Constraints['thread'] = { max: 1, form: 'None' };

/** `{ value: label }` as the choices of an option. */
export const choices = (labels: Readonly<Record<string, string>>): NonNullable<Option['choices']> =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));
