/** Drops sentences from the end, then words, but keeps all links. Undefined if not even one word fits. */
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

const withLinks = (shortText: string, fullText: string) => {
  const lostLinks = (fullText.match(/https?:\/\/\S+/g) ?? []).filter((one) => !shortText.includes(one));
  return [shortText, ...new Set(lostLinks)].filter(Boolean).join(' ');
};

const withoutEnd = (text: string) => text.replace(/[\s,;:.–-]+$/u, '');

/** Binary search for the longest of `make(1)` to `make(max)` that fits. */
const longest = (max: number, make: (count: number) => string, fits: (text: string) => boolean) => {
  let [low, high] = [0, max];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(make(middle))) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? undefined : make(low);
};
