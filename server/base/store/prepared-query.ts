import pg from 'pg';
import utils from 'pg/lib/utils.js';
import { propertyOf } from './column-name.ts';
import { isStale } from './pg-errors.ts';
import type { Statement } from './statement.ts';
import { types } from './types.ts';

/** The connection that pg passes to a custom query (`Submittable`), as pg-cursor uses it. */
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
type Column = readonly [property: string, parse: (text: string) => unknown];

/** The result columns of each statement. PostgreSQL refuses to run a statement whose result has changed, so they stay valid. */
const columnCache = new WeakMap<Connection, Map<string, readonly Column[]>>();

const columnsOn = (connection: Connection) => {
  const columns = columnCache.get(connection) ?? new Map<string, readonly Column[]>();
  columnCache.set(connection, columns);
  return columns;
};

export interface StatementResult {
  readonly rows: Row[];
  /** How many rows it touched. */
  readonly count: number;
}

/** A prepared statement in flight. Unlike pg's own query, it keeps the result columns from the first run. */
export class PreparedQuery {
  readonly name: string;
  readonly text: string;
  readonly #values: readonly unknown[];
  readonly #rows: Row[] = [];
  #count = 0;
  #columnCache: Map<string, readonly Column[]> | undefined;
  #columns: readonly Column[] | undefined;
  #error: unknown;
  #isSent = false;
  /** Statements sent in the same write. They are passed to pg one by one, as each answer completes. */
  followedBy: readonly PreparedQuery[] = [];
  /** Its answer or error is complete, and the connection is usable. */
  isAnswered = false;
  /** pg calls this too, when the connection is closed. */
  callback: (error: unknown, result?: StatementResult) => void;

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
    this.#columnCache = columnsOn(connection);
    const isParsed = connection.parsedStatements[name] !== undefined;
    this.#columns = isParsed ? this.#columnCache.get(name) : undefined;
    try {
      if (!isParsed) {
        // A stale statement may still have this name. Closing one that does not exist is no error in PostgreSQL.
        if (name) connection.close({ type: 'S', name });
        connection.parse({ name, text });
      }
      connection.bind({ statement: name, values: this.#values, valueMapper: utils.prepareValue });
      if (this.#columns === undefined) connection.describe({ type: 'P', name: '' });
      connection.execute({ portal: '' });
      connection.sync();
    } catch (error) {
      // A value could not be serialized. Sync ends the half-sent statement.
      this.#error = error;
      connection.sync();
    }
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }) {
    this.#columns = fields.map(({ name, dataTypeID }) => [propertyOf(name), types.getTypeParser(dataTypeID, 'text')]);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }) {
    const columns = this.#columns as readonly Column[];
    const row: Row = {};
    try {
      for (let i = 0; i < columns.length; i++) {
        const [property, parse] = columns[i] as Column;
        const text = fields[i] as string | null;
        row[property] = text === null ? null : parse(text);
      }
      this.#rows.push(row);
    } catch (error) {
      this.#error ??= error;
    }
  }

  handleCommandComplete({ text }: { text: string }) {
    this.#count = Number(/\d+$/.exec(text)?.[0] ?? 0);
    // A statement without rows has no description, and needs none.
    this.#columnCache?.set(this.name, this.#columns ?? []);
  }

  handleReadyForQuery() {
    this.isAnswered = true;
    if (this.#error === undefined) this.callback(null, { rows: this.#rows, count: this.#count });
    else this.callback(this.#error);
  }

  handleError(error: unknown, connection: Connection) {
    this.#error ??= error;
    // Every error of PostgreSQL has a code. Without one the connection is lost, or its state is unknown.
    const isRefused = error instanceof pg.DatabaseError && error.code !== undefined && !connection.stream.destroyed;
    if (!isRefused) {
      connection.stream.destroy();
      return this.callback(this.#error);
    }
    if (isStale(error)) this.#discard(connection);
    this.#awaitState(connection);
  }

  /**
   * The severity is localized, so it does not tell whether the error is fatal. The next event does: PostgreSQL is ready for
   * another query, or it closes the connection.
   */
  #awaitState(connection: Connection) {
    const ready = () => {
      connection.off('end', ended);
      this.handleReadyForQuery();
    };
    const ended = () => {
      connection.off('readyForQuery', ready);
      this.callback(this.#error);
    };
    connection.once('readyForQuery', ready);
    connection.once('end', ended);
  }

  /** The next statement with this name is prepared again. */
  #discard(connection: Connection) {
    delete connection.parsedStatements[this.name];
    this.#columnCache?.delete(this.name);
  }

  // pg requires these handlers; prepared statements never trigger them.
  handlePortalSuspended() {}
  handleEmptyQuery() {}
  handleCopyInResponse() {}
  handleCopyData() {}
}
