interface Named {
  readonly key: string;
  readonly label: string;
}

/** What the server says of options, for people: `bluesky.quote must be …` is `“Quoted post” must be …`. */
export const withLabels = (message: string, options: readonly Named[]) =>
  options
    // `x.quote` is a part of `x.quote_policy`.
    .toSorted((one, other) => other.key.length - one.key.length)
    .reduce(
      (words, { key, label }) => words.replaceAll(`${label} (${key})`, label).replaceAll(key, `“${label}”`),
      message,
    );
