import { badInput } from '#server/errors';

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

/** One row more than asked tells whether there is another page. */
export const toPage = <Row extends { id: string }>(rows: Row[], limit: number) => {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, ...(rows.length > limit && last && { nextCursor: toCursor(last.id) }) };
};
