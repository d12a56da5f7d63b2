import type { Migration } from './migrate.ts';

export interface ExpectedIndex {
  readonly table: string;
  readonly isUnique: boolean;
  /** The columns and conditions: `(workspace_id, id desc) where …`. */
  readonly definition: string;
}

export interface ExpectedSchema {
  readonly tables: ReadonlySet<string>;
  /** By name. Those of keys and constraints are left out: `drop index` refuses them. */
  readonly indexes: ReadonlyMap<string, ExpectedIndex>;
}

const change =
  /create (?:unlogged )?table (?:if not exists )?(?<table>\w+)|create (?<unique>unique )?index (?<index>\w+) on (?<on>\w+)\s+(?<definition>[^;]+)|drop (?<dropped>index|table) (?<names>\w+(?:, \w+)*)|alter index (?<from>\w+) rename to (?<to>\w+)|alter table (?<renamedIn>\w+) rename column (?<column>\w+) to (?<newColumn>\w+)|(?:primary key|unique) using index (?<consumed>\w+)/g;

/**
 * Read from the statements of the migrations, so that there is no second list to keep in step. A test compares it with a
 * migrated database.
 */
export const expectedAfter = (migrations: readonly Pick<Migration, 'sql'>[]): ExpectedSchema => {
  const tables = new Set<string>(['schema_migrations']);
  const indexes = new Map<string, ExpectedIndex>();
  for (const { sql } of migrations) {
    for (const { groups = {} } of sql.replace(/--.*$/gm, '').matchAll(change)) {
      const { table, unique, index, on, definition, dropped, names, from, to, renamedIn, column, newColumn, consumed } =
        groups;
      if (table) tables.add(table);
      if (index && on && definition) {
        const text = definition.replace(/\s+/g, ' ').trim();
        indexes.set(index, { table: on, isUnique: unique !== undefined, definition: text });
      }
      for (const name of names?.split(', ') ?? []) (dropped === 'table' ? tables : indexes).delete(name);
      if (from && to) rename(indexes, from, to);
      if (renamedIn && column && newColumn) renameColumn(indexes, renamedIn, column, newColumn);
      if (consumed) indexes.delete(consumed);
    }
  }
  return { tables, indexes };
};

const rename = (indexes: Map<string, ExpectedIndex>, from: string, to: string) => {
  const index = indexes.get(from);
  indexes.delete(from);
  if (index) indexes.set(to, index);
};

const renameColumn = (indexes: Map<string, ExpectedIndex>, table: string, from: string, to: string) => {
  for (const [name, index] of indexes) {
    if (index.table !== table) continue;
    indexes.set(name, { ...index, definition: index.definition.replace(new RegExp(`\\b${from}\\b`, 'g'), to) });
  }
};
