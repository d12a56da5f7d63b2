import pg from 'pg';

const { builtins } = pg.types;
/** pg has no name for it. */
const textArrayOid = 1009;
const readArray = (pg.types.getTypeParser as (oid: number) => (text: string) => unknown)(textArrayOid);

const parsers = new Map<number, (text: string) => unknown>([
  [builtins.TIMESTAMPTZ, isoText],
  [builtins.DATE, (text) => text], // a Date would be midnight in the zone of this machine
  [textArrayOid, readTextArray],
]);

/** For one pool or client. Never set globally: Agenda needs the Dates that pg returns by default. */
export const types = {
  ...pg.types,
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers.get(oid)) || pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** `2026-01-02 03:04:05.12+00` → `2026-01-02T03:04:05.120000Z`; a Date would cut the microseconds. */
function isoText(text: string): string {
  if (text[10] !== ' ' || !text.endsWith('+00')) return text; // infinity, or a year of more than four digits
  const fraction = text.slice(19, -3) || '.';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${fraction.padEnd(7, '0')}Z`;
}

/**
 * pg reads arrays character by character, which takes a seventh of the time of a cold forecast. Ids need no quotation
 * marks, so splitting at commas is enough.
 */
function readTextArray(text: string): unknown {
  const inner = text.slice(1, -1);
  if (inner === '') return [];
  return /["\\{}]|NULL/.test(inner) ? readArray(text) : inner.split(',');
}
