/** A statement of a migration that would break the previous release, which still runs during an upgrade. */
export interface UnsafeStatement {
  readonly statement: string;
  /** What is wrong, and what to do instead. */
  readonly rule: string;
}

const removeLater =
  'the release before still uses it: stop using it in this release and take it away in the next but one';

interface Rule {
  readonly says: string;
  readonly isBroken: (statement: string) => boolean;
}

const has = (pattern: RegExp) => (statement: string) => pattern.test(statement);

/** Splits `alter table … add column a int, add column b int` into one part per column. */
const addedColumns = (statement: string) =>
  statement.startsWith('alter table ')
    ? statement
        .split(/\badd column /)
        .slice(1)
        .map((part) => part.replace(/, (?:add|alter|drop|rename)\b.*/, ''))
    : [];

const rules: readonly Rule[] = [
  { says: removeLater, isBroken: has(/^drop (table|view|function|trigger|type|sequence)\b/) },
  {
    says: removeLater,
    isBroken: has(/^alter table .*\bdrop (?!constraint\b|not null\b|default\b|expression\b|identity\b)\w+/),
  },
  { says: `${removeLater}; add the new one beside it`, isBroken: has(/^alter table .*\brename\b/) },
  {
    says: 'rows that the release before writes have no value for it: give it a default, or leave it nullable',
    isBroken: (statement) =>
      addedColumns(statement).some((column) => /\bnot null\b/.test(column) && !/\b(default|generated)\b/.test(column)),
  },
  {
    says: 'the release before may write rows without it: check it in the code, and set it in the next but one',
    isBroken: has(/\balter column \w+ set not null\b/),
  },
  {
    says: 'the whole table is written anew while everybody waits: add a column beside it',
    isBroken: has(/\balter column \w+ (set data )?type\b/),
  },
  {
    says: 'rows that the release before writes may break it, and all rows are checked while everybody waits: add it not valid, and validate it later',
    isBroken: has(
      /^alter table .*\badd (constraint \w+ )?(check|unique|foreign key|exclude|primary key)\b(?!.*\bnot valid\b)/,
    ),
  },
  {
    says: 'rows that the release before writes may break it: check in the code first',
    isBroken: (statement) =>
      /^create unique index\b/.test(statement) || addedColumns(statement).some((column) => /\bunique\b/.test(column)),
  },
  { says: 'rows of people are not for migrations: write a chore', isBroken: has(/^(truncate|delete from)\b/) },
  {
    says: 'a migration makes tables and indexes only: what decides stands in the slices',
    isBroken: has(/^create (or replace )?(function|trigger|rule|procedure)\b/),
  },
];

/** Statements on tables that the same migration creates are safe, because nothing uses those yet. */
export const unsafeStatements = (sql: string): UnsafeStatement[] => {
  const statements = statementsOf(sql);
  const own = new Set(statements.flatMap((text) => /^create table (\w+)/.exec(text)?.[1] ?? []));
  return statements
    .filter((text) => !own.has(tableOf(text)))
    .flatMap((statement) =>
      rules.filter(({ isBroken }) => isBroken(statement)).map(({ says }) => ({ statement, rule: says })),
    );
};

/** In lower case, one line each, without comments and function bodies. */
const statementsOf = (sql: string) =>
  sql
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/\$(\w*)\$.*?\$\1\$/gs, "''")
    .split(';')
    .map((text) => text.replaceAll(/\s+/g, ' ').trim().toLowerCase())
    .filter((text) => text !== '');

const tableOf = (statement: string) =>
  /^(?:alter table|truncate(?: table)?|delete from) (?:only |if exists )*(\w+)|^create (?:unique )?index \w+ on (\w+)/
    .exec(statement)
    ?.slice(1)
    .find((name) => name !== undefined) ?? '';
