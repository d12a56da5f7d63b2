import { bounds } from '#server/base/bounds';
import { badInput } from '#server/base/errors';

/** A cursor is the last id of the page before, encoded so that callers do not rely on its form. */
export const toCursor = (id: string) => Buffer.from(id).toString('base64url');

export const fromCursor = (cursor: string | undefined): string | null => {
  if (cursor === undefined) return null;
  const id = Buffer.from(cursor, 'base64url').toString();
  if (!/^[a-z]+_[0-9A-Z]{26}$/.test(id)) {
    throw badInput({ path: 'cursor', code: 'BadFormat', message: 'must be the nextCursor of an earlier page' });
  }
  return id;
};

/** `rows` has one row more than `limit` when there is another page. A page ends early at `pageBytes`, but has at least one row. */
export const toPage = <Row extends { id: string }>(rows: readonly Row[], limit: number) => {
  let bytes = 0;
  const overflowAt = rows.findIndex((row, index) => {
    bytes += Buffer.byteLength(JSON.stringify(row));
    return index > 0 && bytes > bounds.pageBytes;
  });
  const page = rows.slice(0, overflowAt === -1 ? limit : Math.min(overflowAt, limit));
  const last = page.at(-1);
  return { page, ...(rows.length > page.length && last && { nextCursor: toCursor(last.id) }) };
};
