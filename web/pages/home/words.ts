/** `X, Threads and Bluesky` */
export const wordsOf = (names: readonly string[]) => new Intl.ListFormat('en-GB').format(names);
