import type { Characters } from '#contracts/providers';

export const characters: Characters = {
  max: 500,
  counting:
    'Grapheme clusters: an emoji is 1, a URL with http(s):// is 23, @user@host counts as @user; the content warning counts too',
  rule: 'Graphemes',
  links: { length: 23, bareDomains: false },
  shortMentions: true,
  // The warning stands on every item of a thread, so it counts in each.
  countedOptions: ['mastodon.spoiler_text'],
  required: false,
};
