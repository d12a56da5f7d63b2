import type { Json, Statements } from '#generated/statements';

/** `Values` and `Row` are for the compiler, which gets them from PostgreSQL's description: generated/statements.ts. */
export interface Statement<Values = never, Row = unknown, Belongs extends Belonging = Belonging> {
  readonly name: string;
  /** With `$1` for the first value. */
  readonly text: string;
  /** The order of values that are passed by name. */
  readonly names?: readonly string[];
  /** Touches a few rows by key, so other statements may queue behind it on the same connection. */
  readonly pace?: 'quick';
  /** Makes sense only inside a transaction: it locks rows for it, or is a part of its change. */
  readonly belongs?: Belongs;
  /** No statement has it. */
  readonly types?: (values: Values) => Row;
}

type Belonging = 'locks' | 'joins';

/** May run by itself, also on a replica. */
export type LoneStatement<Values = never, Row = unknown> = Statement<Values, Row, never>;

interface DeclaredStatement<Values, Row, Belongs extends Belonging> extends Statement<Values, Row, Belongs> {
  /**
   * What PostgreSQL does not know: what JSON has in it, and which texts are possible. For a statement that is not in
   * generated/statements.ts, such as one with a computed name, the whole row.
   */
  holds<Content extends ContentOf<Row, Content>>(): Statement<Values, Holding<Row, Content>, Belongs>;
}

type ContentOf<Row, Content> = unknown extends Row
  ? unknown
  : { readonly [Column in keyof Content]: Column extends keyof Row ? Contained<NonNullable<Row[Column]>> : never };

type Contained<Value> = Value extends Json
  ? unknown
  : Value extends string
    ? string
    : Value extends readonly string[]
      ? readonly string[]
      : never;

/** Whether a column may be null is still what PostgreSQL says. */
type Holding<Row, Content> = unknown extends Row
  ? Content
  : {
      [Column in keyof Row]: Column extends keyof Content ? Content[Column] | Extract<Row[Column], null> : Row[Column];
    };

type ValuesOf<Name extends string> = Name extends keyof Statements
  ? Nullable<Statements[Name]['values']>
  : readonly unknown[] | Readonly<Record<string, unknown>>;

/** PostgreSQL does not know whether a value or an element of a list may be null. */
type Nullable<Values> = { readonly [Value in keyof Values]: NullableElements<Values[Value]> | null };

type NullableElements<Value> = Value extends readonly (infer Element)[] ? readonly (Element | null)[] : Value;

type DescribedRow<Name extends string> = Name extends keyof Statements ? Statements[Name]['row'] : unknown;

/** A row of a statement: `RowOf<typeof list>`. */
export type RowOf<Of> = Of extends Statement<never, infer Row> ? Row : never;

/** The second argument of a query; none for a statement without values. */
export type ValuesArgument<Values> = [] extends Values ? [values?: Values] : [values: Values];

/** Of all modules that this process has loaded. */
export const declaredStatements: Statement[] = [];

/**
 * A text with `:workspaceId` takes its values by name, one with `$1` by position. `locks` and `joins` throw outside a
 * transaction: the first locks rows for it, the second is a part of its change.
 */
export function sql<Name extends string>(
  name: Name,
  text: string,
  how: Belonging,
): DeclaredStatement<ValuesOf<Name>, DescribedRow<Name>, Belonging>;
export function sql<Name extends string>(
  name: Name,
  text: string,
  how?: 'quick',
): DeclaredStatement<ValuesOf<Name>, DescribedRow<Name>, never>;
export function sql(
  name: string,
  text: string,
  how?: 'quick' | Belonging,
): DeclaredStatement<never, unknown, Belonging> {
  if (how !== 'locks' && onlyLocks(text)) throw new Error(`${name} locks rows, so it is declared with 'locks'.`);
  const statement = {
    name,
    ...numberValues(name, text),
    ...(how === 'quick' && { pace: how }),
    ...(how !== undefined && how !== 'quick' && { belongs: how }),
  };
  declaredStatements.push(statement);
  return Object.assign(statement, { holds: () => statement });
}

/** Quoted texts and casts are passed over. */
const namedValue = /'(?:[^']|'')*'|"[^"]*"|::|:([a-z]\w*)/gi;

/** Numbers the values that a text names. */
const numberValues = (statement: string, text: string) => {
  const names: string[] = [];
  const numbered = text.replace(namedValue, (found, name: string | undefined) => {
    if (name === undefined) return found;
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  if (names.length === 0) return { text };
  if (/\$\d/.test(text)) throw new Error(`${statement} takes values by name and by position.`);
  return { text: numbered, names };
};

const locking = /\bfor (?:no key )?update\b|\bfor (?:key )?share\b|\bpg_advisory_xact_lock\b/g;

/** A statement that also writes may lock for itself alone. */
const onlyLocks = (text: string) => {
  const rest = text.replace(locking, '');
  return rest !== text && !/\b(?:insert|update|delete)\b/.test(rest);
};
