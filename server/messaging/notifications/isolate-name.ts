const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * For a name inside our own sentence, which also goes out as mail and push, where no markup can help: without the two
 * marks, a name written from right to left reorders the words around it. Other names stay as they are.
 */
export const isolateName = (name: string) => (rightToLeft.test(name) ? `\u2068${name}\u2069` : name);
