import { sha256 } from '#server/base/sha256';

/** RFC 8785 for strings, booleans and integers, so that anybody gets the same bytes from the same values. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`;
};

/** The digest of a value, whatever the order of its fields. */
export const digestOf = (value: unknown) => sha256(canonicalJson(value), 'hex');
