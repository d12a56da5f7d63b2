/** Leaves out sentences from the end, then words; links stay. Undefined when not even a word has room. */
export const shorten = (text: string, fits: (text: string) => boolean): string | undefined => {
  const sentences = [...new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)].map(
    ({ segment }) => segment,
  );
  const [first = ''] = sentences;
  const bySentence = longest(
    sentences.length - 1,
    (count) => withLinks(sentences.slice(0, count).join('').trim(), text),
    fits,
  );
  if (bySentence !== undefined) return bySentence;
  const words = first
    .trim()
    .split(/\s+/)
    .filter((word) => !link.test(word));
  return longest(words.length - 1, (count) => withLinks(`${withoutEnd(words.slice(0, count).join(' '))}…`, text), fits);
};

const link = /https?:\/\/\S+/;

const withLinks = (kept: string, whole: string) => {
  const lost = (whole.match(/https?:\/\/\S+/g) ?? []).filter((one) => !kept.includes(one));
  return [kept, ...new Set(lost)].filter(Boolean).join(' ');
};

const withoutEnd = (text: string) => text.replace(/[\s,;:.–-]+$/u, '');

/** The longest of `make(1)` to `make(most)` that fits: few are tried, however long the text is. */
const longest = (most: number, make: (count: number) => string, fits: (text: string) => boolean) => {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(make(middle))) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? undefined : make(low);
};
