import type { Characters } from '#contracts/providers';

export const characters: Characters = {
  max: 280,
  counting: 'Weighted: a Latin letter is 1, CJK is 2, an emoji is 2 however long, a URL or bare domain is 23',
  rule: 'Weighted',
  links: { length: 23, bareDomains: true },
  required: false,
  // Only posts of subscribers are longer.
  fold: { at: 280, unit: 'Counted', isObserved: false },
};

/** For accounts that pay X for a subscription. */
export const longCharacters: Characters = { ...characters, max: 25_000 };
