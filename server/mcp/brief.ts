/**
 * What JSON says, in fewer characters, for models: many clients show them the text alone, and every character is paid
 * for. A line for each field; a list of records is a table, where they fit into one. What is empty is left out. Text
 * from outside stands in quotes, on the line of its field.
 */
export const inBrief = (output: object): string => {
  const lines = fieldsOf(output);
  return (lines.length > 0 ? lines : Object.keys(output).map((name) => `${name}: none`)).join('\n');
};

const fieldsOf = (record: object) =>
  Object.entries(record).flatMap(([name, value]) => (isNothing(value) ? [] : field(quoted(name), value)));

const field = (name: string, value: unknown): string[] => {
  if (isFlat(value)) return [`${name}: ${flat(value)}`];
  if (!Array.isArray(value)) return [`${name}:`, ...fieldsOf(Object(value)).map(indented)];
  const columns = [...new Set(value.flatMap((one) => Object.keys(Object(one))))];
  const isTable = value.length > 1 && value.every(isRecord);
  return isTable
    ? [`${name} (${columns.map(quoted).join(', ')}):`, ...value.map((one) => row(one, columns))]
    : [`${name}:`, ...value.flatMap(entry)];
};

const row = (record: Record<string, unknown>, columns: readonly string[]) =>
  `- ${columns.map((column) => (isNothing(record[column]) ? '' : flat(record[column]))).join(', ')}`;

const entry = (value: unknown) => {
  const [first = '', ...others] = isFlat(value) ? [flat(value)] : fieldsOf(Object(value));
  return [`- ${first}`, ...others.map(indented)];
};

const indented = (line: string) => ` ${line}`;

const isNothing = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

const isScalar = (value: unknown) => typeof value !== 'object' || value === null;
/** Fits into one line, and into one place of a table. */
const isFlat = (value: unknown) => isScalar(value) || (Array.isArray(value) && value.every(isScalar));
const isRecord = (value: unknown): value is Record<string, unknown> =>
  !isFlat(value) && !Array.isArray(value) && Object.values(Object(value)).every(isFlat);

const flat = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(flat).join(', ')}]`;
  return typeof value === 'string' ? quoted(value) : String(value);
};

/** An id, a code, an instant, an address or a path says nothing but itself; whatever else there is, is quoted. */
const isName = /^(?:[\w./-]{1,200}|\d{4}-\d\d-\d\dT[\d:.]+Z|https?:\/\/[\w.:/?&=%~+-]+)$/;

export const quoted = (text: string) => (isName.test(text) ? text : inOneLine(JSON.stringify(text)));

/** Our sentences name what came from outside; whatever that was, it begins no line of its own. */
export const inOneLine = (text: string) =>
  text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
