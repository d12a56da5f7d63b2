import pg from 'pg';
import utils from 'pg/lib/utils.js';
import { isStale } from './pg-errors.ts';
import { types } from './types.ts';

export interface Statement {
  readonly name: string;
  readonly text: string;
  /** It reads or writes a few rows by their keys, so others may wait for it on the same connection. */
  readonly pace?: 'quick';
}

/** What pg gives a query of one's own (`Submittable`), as pg-cursor uses it. */
interface Connection {
  readonly stream: { readonly destroyed: boolean; cork(): void; uncork(): void; destroy(): void };
  readonly parsedStatements: Record<string, string | undefined>;
  parse(query: { name: string; text: string }): void;
  bind(bound: { statement: string; values: readonly unknown[]; valueMapper: (value: unknown) => unknown }): void;
  describe(what: { type: 'P'; name: string }): void;
  execute(portal: { portal: string }): void;
  sync(): void;
  close(what: { type: 'S'; name: string }): void;
  once(event: 'readyForQuery' | 'end', listener: () => void): unknown;
  off(event: 'readyForQuery' | 'end', listener: () => void): unknown;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

type Row = Record<string, unknown>;
type Column = readonly [name: string, parse: (text: string) => unknown];

/** What each statement answers: PostgreSQL describes it once a connection, and refuses to run it when that has changed. */
const described = new WeakMap<Connection, Map<string, readonly Column[]>>();

const columnsOn = (connection: Connection) => {
  const known = described.get(connection) ?? new Map<string, readonly Column[]>();
  described.set(connection, known);
  return known;
};

export interface Answered {
  readonly rows: Row[];
  /** How many rows it touched. */
  readonly count: number;
}

/** A prepared statement on its way: pg's own query builds anew each time what it knows from the time before. */
export class PreparedQuery {
  readonly name: string;
  readonly text: string;
  readonly #values: readonly unknown[];
  readonly #rows: Row[] = [];
  #count = 0;
  #known: Map<string, readonly Column[]> | undefined;
  #columns: readonly Column[] | undefined;
  #mistake: unknown;
  #isSent = false;
  /** Those that go out with it, in the same write. They are given to pg one after the other, as each is answered. */
  followedBy: readonly PreparedQuery[] = [];
  /** Its answer, also a refusal, is complete: the connection goes on. */
  isAnswered = false;
  /** pg calls it as well, when the connection is closed. */
  callback: (error: unknown, answered?: Answered) => void;

  constructor({ name, text }: Statement, values: readonly unknown[], callback: PreparedQuery['callback']) {
    this.name = name;
    this.text = text;
    this.#values = values;
    this.callback = callback;
  }

  static isPreparedOn(client: object, { name }: Statement) {
    const { connection } = client as { connection: Connection };
    return connection.parsedStatements[name] !== undefined && columnsOn(connection).has(name);
  }

  submit(connection: Connection) {
    if (this.#isSent) return null;
    connection.stream.cork();
    try {
      this.#send(connection);
      for (const query of this.followedBy) query.#send(connection);
    } finally {
      connection.stream.uncork();
    }
    return null;
  }

  #send(connection: Connection) {
    const { name, text } = this;
    this.#isSent = true;
    this.#known = columnsOn(connection);
    const isParsed = connection.parsedStatements[name] !== undefined;
    this.#columns = isParsed ? this.#known.get(name) : undefined;
    try {
      if (!isParsed) {
        // A stale one may still have this name; PostgreSQL takes a close of one that is not there.
        if (name) connection.close({ type: 'S', name });
        connection.parse({ name, text });
      }
      connection.bind({ statement: name, values: this.#values, valueMapper: utils.prepareValue });
      if (this.#columns === undefined) connection.describe({ type: 'P', name: '' });
      connection.execute({ portal: '' });
      connection.sync();
    } catch (error) {
      // A value that cannot be sent. What was sent before it is given up.
      this.#mistake = error;
      connection.sync();
    }
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }) {
    this.#columns = fields.map((field) => [field.name, types.getTypeParser(field.dataTypeID, 'text')]);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }) {
    const columns = this.#columns as readonly Column[];
    const row: Row = {};
    try {
      for (let i = 0; i < columns.length; i++) {
        const [name, parse] = columns[i] as Column;
        const text = fields[i] as string | null;
        row[name] = text === null ? null : parse(text);
      }
      this.#rows.push(row);
    } catch (error) {
      this.#mistake ??= error;
    }
  }

  handleCommandComplete({ text }: { text: string }) {
    this.#count = Number(/\d+$/.exec(text)?.[0] ?? 0);
    // A statement without rows has no description, and needs none.
    this.#known?.set(this.name, this.#columns ?? []);
  }

  handleReadyForQuery() {
    this.isAnswered = true;
    if (this.#mistake === undefined) this.callback(null, { rows: this.#rows, count: this.#count });
    else this.callback(this.#mistake);
  }

  handleError(error: unknown, connection: Connection) {
    this.#mistake ??= error;
    // Every error of PostgreSQL has a code. Without one the connection is lost, or nobody knows what comes next on it.
    const isRefused = error instanceof pg.DatabaseError && error.code !== undefined && !connection.stream.destroyed;
    if (!isRefused) {
      connection.stream.destroy();
      return this.callback(this.#mistake);
    }
    if (isStale(error)) this.#forget(connection);
    this.#awaitState(connection);
  }

  /**
   * The severity is in the language of the server, so it does not tell whether PostgreSQL goes on. What comes next does: it is
   * ready for another query, or it closes the connection.
   */
  #awaitState(connection: Connection) {
    const ready = () => {
      connection.off('end', ended);
      this.handleReadyForQuery();
    };
    const ended = () => {
      connection.off('readyForQuery', ready);
      this.callback(this.#mistake);
    };
    connection.once('readyForQuery', ready);
    connection.once('end', ended);
  }

  /** The next one with its name is prepared anew. */
  #forget(connection: Connection) {
    delete connection.parsedStatements[this.name];
    this.#known?.delete(this.name);
  }

  // Of statements of other kinds, which are not prepared.
  handlePortalSuspended() {}
  handleEmptyQuery() {}
  handleCopyInResponse() {}
  handleCopyData() {}
}
