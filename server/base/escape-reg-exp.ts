/** Makes text match literally. Escapes no `-`: the flag `u` refuses escapes that are not needed. */
export const escapeRegExp = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
