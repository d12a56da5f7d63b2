/** For sandboxes: the page of a list after the entry that a cursor names, and the cursor of the next page. */
export const pageAfter = <Entry extends { readonly id: string }>(
  all: readonly Entry[],
  cursor: unknown,
  size: number,
): { entries: Entry[]; next: string | undefined } => {
  const start = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
  const entries = all.slice(start, start + size);
  return { entries, next: start + size < all.length ? entries.at(-1)?.id : undefined };
};
