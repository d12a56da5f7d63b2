const mostLetters = 48;

/** The first line of a post's text; empty when it has none. */
export const titleOf = (text: string) => text.trim().split('\n')[0]?.trim() ?? '';

/** The same, short enough for a toast or a dialog: `“Easter hours”`. */
export const quoted = (text: string) => {
  const title = titleOf(text);
  const letters = [...title];
  return `“${letters.length > mostLetters ? `${letters.slice(0, mostLetters).join('').trimEnd()}…` : title}”`;
};

/** A post in one line. */
export const PostTitle = ({ text }: { text: string }) => {
  const title = titleOf(text);
  return title === '' ? <em className="text-3">Empty draft</em> : title;
};
