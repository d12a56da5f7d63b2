import type { Database } from '#server/base/store/database';
import type { SealedColumn } from '#server/base/store/sealed-column';
import { discardLostSecrets } from './lost-secrets.ts';
import { createResealing } from './resealing.ts';
import type { Seal } from './seal.ts';

/** Removes a text that no key can decrypt, and does what follows from that. */
export type Discard = (id: string, sealed: string) => Promise<unknown>;

export const openSecrets = ({
  database,
  columns,
  discards,
  seal,
  report,
}: {
  database: Pick<Database, 'transaction'>;
  columns: readonly SealedColumn[];
  /** By `table.column`. */
  discards: Readonly<Record<string, Discard>>;
  seal: Seal;
  report: (error: unknown) => void;
}) => {
  const discardOf = (place: string) => {
    const discard = discards[place];
    if (discard === undefined)
      throw new Error(`No slice declares a discard for ${place}, which is needed when its key is lost.`);
    return discard;
  };
  for (const { table, column } of columns) discardOf(`${table}.${column}`);
  const resealing = createResealing({ columns, seal, report });
  return {
    resealing,
    /** All or nothing. */
    discardLost: () => database.transaction(() => discardLostSecrets(columns, seal, discardOf)),
    chores: { 'seal anew what an old key sealed': { every: '1 hour', run: resealing.run } },
  };
};
