import type { SealedColumn } from '#server/store/sealed-column';
import type { Seal } from './seal.ts';

const batch = 100;

/** After a change of the keys: seals everything with the newest one, so that the others can be removed. */
export const createResealing = ({
  columns,
  seal,
  report,
}: {
  columns: readonly SealedColumn[];
  seal: Seal;
  report: (error: unknown) => void;
}) => {
  const [newest = ''] = seal.keyIds;

  const resealColumn = async ({ table, column, sealedBefore, replace }: SealedColumn) => {
    let trouble: unknown;
    let last = '';
    for (;;) {
      const found = await sealedBefore(newest, last, batch);
      for (const { id, sealed } of found) {
        const place = `${table}:${id}:${column}`;
        try {
          // Never in the place of what another process has written since.
          await replace(id, sealed, seal.seal(seal.open(sealed, place), place));
        } catch (error) {
          trouble ??= error;
        }
      }
      if (found.length < batch) break;
      last = found.at(-1)?.id ?? '';
    }
    // One is enough: where a key is missing, there are thousands.
    if (trouble !== undefined) report(trouble);
  };

  return {
    columns: columns.map(({ table, column }) => `${table}.${column}`),

    run: async () => {
      for (const column of columns) await resealColumn(column);
    },

    /** How many texts each key sealed, the newest key first. */
    state: async () => {
      const totals = new Map(seal.keyIds.map((key) => [key, 0]));
      for (const { counts } of columns) {
        for (const { key, count } of await counts()) totals.set(key, (totals.get(key) ?? 0) + count);
      }
      return [...totals].map(([key, count]) => ({ key, count, isKnown: seal.keyIds.includes(key) }));
    },
  };
};
