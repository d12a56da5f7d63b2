/**
 * Text that a spreadsheet would run as a formula. Text that already begins with apostrophes is guarded too, so that removing
 * one always restores the original.
 */
const formula = /^'*\s*[=+\-@\t\r]/;
const guarded = /^'+\s*[=+\-@\t\r]/;
/** The same after a semicolon or tab, where some spreadsheets begin another cell. */
const laterFormula = /(?<=[;\t])(?='*[^\S\t]*[=+\-@])/g;
const laterGuarded = /(?<=[;\t])'(?='*[^\S\t]*[=+\-@])/g;

/** Prevents CSV injection. */
const withGuard = (text: string) => (formula.test(text) ? `'${text}` : text).replaceAll(laterFormula, "'");

/** Reverses `withGuard`. */
export const withoutGuard = (text: string) => (guarded.test(text) ? text.slice(1) : text).replaceAll(laterGuarded, '');

/** One cell; numbers stay numbers. */
const csvCell = (value: string | number | undefined) => {
  if (typeof value !== 'string') return String(value ?? '');
  const safe = withGuard(value);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const csvLine = (cells: readonly (string | number | undefined)[]) => `${cells.map(csvCell).join(',')}\r\n`;

/** Tells spreadsheets that the file is UTF-8. */
export const byteOrderMark = '\uFEFF';
