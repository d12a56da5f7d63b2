const mostLetters = 60;

/** The first line of a post. */
export const titleOf = (text: string) => text.trim().split('\n')[0]?.trim() ?? '';

/** The first line for headings; a long one is cut after its first sentence, else after a word. */
export const headingOf = (text: string) => {
  const title = titleOf(text.trimStart().slice(0, 10 * mostLetters));
  const letters = [...title];
  if (letters.length <= mostLetters) return title;
  const start = letters.slice(0, mostLetters).join('');
  const sentence = /^.{8,}?[.?!](?=\s)/u.exec(start)?.[0].replace(/\.$/, '');
  return sentence ?? `${start.replace(/[\s,;:–—-]+\S*$/u, '')}…`;
};

/** For toasts and dialogs: `“We open at 7”`. */
export const quoteHeading = (text: string) => `“${headingOf(text)}”`;
