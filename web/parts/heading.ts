const mostLetters = 60;

/** The first line of a post's text; empty when it has none. */
export const titleOf = (text: string) => text.trim().split('\n')[0]?.trim() ?? '';

/** The same for a heading: a line that is too long ends with its first sentence, else with a whole word. */
export const headingOf = (text: string) => {
  const title = titleOf(text.trimStart().slice(0, 10 * mostLetters));
  const letters = [...title];
  if (letters.length <= mostLetters) return title;
  const start = letters.slice(0, mostLetters).join('');
  const sentence = /^.{8,}?[.?!](?=\s)/u.exec(start)?.[0].replace(/\.$/, '');
  return sentence ?? `${start.replace(/[\s,;:–—-]+\S*$/u, '')}…`;
};

/** For a toast or a dialog: `“Easter hours”`. */
export const quoted = (text: string) => `“${headingOf(text)}”`;
