/** `X`, `X and Bluesky`, `X, Bluesky and Threads` */
export const namesAnd = (names: readonly string[]) => new Intl.ListFormat('en-GB').format(names);

/** `Marta, Jonas or Ada` */
export const namesOr = (names: readonly string[]) =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names);
