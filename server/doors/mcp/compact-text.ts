/**
 * A compact text form of an output, for models: many clients show only the text to them, and every token costs. One
 * line per field; a list of flat records becomes a table; empty values are left out. Text from outside is quoted and
 * stays on the line of its field, so that it cannot pass for a field.
 */
export const toCompactText = (output: object): string => {
  const lines = fieldsOf(output);
  return (lines.length > 0 ? lines : Object.keys(output).map((name) => `${name}: none`)).join('\n');
};

const fieldsOf = (record: object) =>
  Object.entries(record).flatMap(([name, value]) => (isEmpty(value) ? [] : field(quoted(name), value)));

const field = (name: string, value: unknown): string[] => {
  if (isFlat(value)) return [`${name}: ${cell(name, value)}`];
  if (!Array.isArray(value)) return [`${name}:`, ...fieldsOf(Object(value)).map(indented)];
  const columns = [...new Set(value.flatMap((one) => Object.keys(Object(one))))];
  const isTable = value.length > 1 && value.every(isRecord);
  return isTable
    ? [`${name} (${columns.map(quoted).join(', ')}):`, ...value.map((one) => row(one, columns))]
    : [`${name}:`, ...value.flatMap(entry)];
};

const row = (record: Record<string, unknown>, columns: readonly string[]) =>
  `- ${columns.map((column) => (isEmpty(record[column]) ? '' : cell(column, record[column]))).join(', ')}`.replace(
    /(?:, )+$/,
    '',
  );

const entry = (value: unknown) => {
  const [first = '', ...others] = isFlat(value) ? [flat(value)] : fieldsOf(Object(value));
  return [`- ${first}`, ...others.map(indented)];
};

const indented = (line: string) => ` ${line}`;

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

const isScalar = (value: unknown) => typeof value !== 'object' || value === null;
/** Fits on one line, and into one cell of a table. */
const isFlat = (value: unknown) => isScalar(value) || (Array.isArray(value) && value.every(isScalar));
const isRecord = (value: unknown): value is Record<string, unknown> =>
  !isFlat(value) && !Array.isArray(value) && Object.values(Object(value)).every(isFlat);

/** `updatedAt` keeps its microseconds, because a write compares them. Other times are only read. */
const cell = (name: string, value: unknown) =>
  typeof value === 'string' && name !== 'updatedAt' ? quoted(shortInstant(value)) : flat(value);

const flat = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(flat).join(', ')}]`;
  return typeof value === 'string' ? quoted(value) : String(value);
};

/** Ids, codes, instants, URLs and paths cannot be mistaken for sentences, so they go unquoted; all other text is quoted. */
const bareText = /^(?:[\w./-]{1,200}|\d{4}-\d\d-\d\dT[\d:.]+Z|https?:\/\/[\w.:/?&=%~+-]+)$/;

/** 2026-11-17T07:30:00.000000Z → 2026-11-17T07:30Z, and seconds where there are some. */
export const shortInstant = (text: string) =>
  text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d)\.\d+Z$/, (_, minute, second) =>
    second === ':00' ? `${minute}Z` : `${minute}${second}Z`,
  );

export const quoted = (text: string) => (bareText.test(text) ? text : inOneLine(JSON.stringify(text)));

/** Messages contain text from outside; with its line breaks escaped it cannot begin a line of its own. */
export const inOneLine = (text: string) =>
  text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
