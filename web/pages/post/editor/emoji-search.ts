export interface Emoji {
  readonly character: string;
  readonly name: string;
  /** Name and keywords in lower case, for searching. */
  readonly words: readonly string[];
}

export interface EmojiGroup {
  readonly name: string;
  readonly emoji: readonly Emoji[];
}

/** The first emoji and the name of each group: the data is in Unicode order but does not name the groups. */
const groupStarts: readonly (readonly [string, string])[] = [
  ['😀', 'Smileys'],
  ['👋', 'People'],
  ['🐵', 'Animals and nature'],
  ['🍇', 'Food and drink'],
  ['🌍', 'Places'],
  ['🎃', 'Activities'],
  ['👓', 'Objects'],
  ['🏧', 'Symbols'],
  ['🏁', 'Flags'],
];

/** `keywords`: emoji in the order of Unicode, each with its name first. */
export const groupEmoji = (keywords: Readonly<Record<string, readonly string[]>>): EmojiGroup[] => {
  const groups: { name: string; emoji: Emoji[] }[] = [];
  for (const [character, [name = '', ...rest]] of Object.entries(keywords)) {
    const start = groupStarts.find(([first]) => first === character);
    if (start) groups.push({ name: start[1], emoji: [] });
    const plain = name.replaceAll('_', ' ');
    const words = [...plain.split(' '), plain, ...rest].map((word) => word.toLowerCase());
    groups.at(-1)?.emoji.push({ character, name: plain, words });
  }
  return groups;
};

/** Matches in the name come before matches in the keywords. Every word of the query has to match. */
export const searchEmoji = (groups: readonly EmojiGroup[], query: string, most: number): Emoji[] => {
  const parts = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = groups
    .flatMap(({ emoji }) => emoji)
    .filter(({ words }) => parts.every((part) => words.some((word) => word.startsWith(part))));
  const isInName = ({ name }: Emoji) => parts.every((part) => name.split(' ').some((word) => word.startsWith(part)));
  return [...matches.filter(isInName), ...matches.filter((emoji) => !isInName(emoji))].slice(0, most);
};
