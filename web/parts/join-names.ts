/** `X`, `X and Bluesky`, `X, Bluesky and Threads` */
export const joinWithAnd = (names: readonly string[]) => new Intl.ListFormat('en-GB').format(names);

/** `Marta, Jonas or Ada` */
export const joinWithOr = (names: readonly string[]) =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names);
