interface Named {
  readonly key: string;
  readonly label: string;
}

/** Replaces option keys in server messages: `bluesky.quote must be …` becomes `“Quoted post” must be …`. */
export const replaceOptionKeys = (message: string, options: readonly Named[]) =>
  options
    // Longest first: `x.quote` is a prefix of `x.quote_policy`.
    .toSorted((one, other) => other.key.length - one.key.length)
    .reduce(
      (words, { key, label }) => words.replaceAll(`${label} (${key})`, label).replaceAll(key, `“${label}”`),
      message,
    );
