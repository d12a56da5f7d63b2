/**
 * What a spreadsheet would take for a formula. What already has an apostrophe before it counts too, so that taking one
 * away always gives back the text.
 */
const formula = /^'*\s*[=+\-@\t\r]/;
const guarded = /^'+\s*[=+\-@\t\r]/;
/** The same where a spreadsheet that splits at semicolons or tabs begins another cell. */
const laterFormula = /(?<=[;\t])(?='*[^\S\t]*[=+\-@])/g;
const laterGuarded = /(?<=[;\t])'(?='*[^\S\t]*[=+\-@])/g;

/** A spreadsheet must not take somebody's text for a formula. */
const withGuard = (text: string) => (formula.test(text) ? `'${text}` : text).replaceAll(laterFormula, "'");

/** The text as it was before it was written into a cell. */
export const withoutGuard = (text: string) => (guarded.test(text) ? text.slice(1) : text).replaceAll(laterGuarded, '');

/** One cell; numbers stay numbers. */
const csvCell = (value: string | number | undefined) => {
  if (typeof value !== 'string') return String(value ?? '');
  const safe = withGuard(value);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const csvLine = (cells: readonly (string | number | undefined)[]) => `${cells.map(csvCell).join(',')}\r\n`;

/** At the front of a file it tells spreadsheets that this is UTF-8. */
export const byteOrderMark = '\uFEFF';
