/** How much text a caller may send. The schemas read these, and so does everything in `server/base/bounds.ts`. */
export const textBounds = {
  /** UTF-16 units of one item, and so of one network's text. */
  itemCharacters: 100_000,
  /** All items of all versions of a post, with the values of its options. */
  postCharacters: 300_000,
  optionCharacters: 10_000,
  altCharacters: 2_000,
  urlCharacters: 2_048,
  idCharacters: 100,
  labelCharacters: 40,
  /** Why a person rejects a request. */
  reasonCharacters: 500,
  templateNameCharacters: 80,
  /** All items of a template, with the values of its options. */
  templateCharacters: 20_000,
  /** Of one version. */
  items: 100,
  accounts: 100,
  mediaPerItem: 100,
  mediaPerPost: 1_000,
} as const;
