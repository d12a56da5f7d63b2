import type { SealedColumn } from '#server/base/store/sealed-column';
import type { Seal } from './seal.ts';

const batch = 100;

/** After a key rotation: encrypts everything with the newest key, so that the old ones can be removed. */
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
    let firstError: unknown;
    let last = '';
    for (;;) {
      const batchRows = await sealedBefore(newest, last, batch);
      for (const { id, sealed } of batchRows) {
        const place = `${table}:${id}:${column}`;
        try {
          // Only if the text is unchanged, so that nothing that another process wrote meanwhile is overwritten.
          await replace(id, sealed, seal.seal(seal.open(sealed, place), place));
        } catch (error) {
          firstError ??= error;
        }
      }
      if (batchRows.length < batch) break;
      last = batchRows.at(-1)?.id ?? '';
    }
    // Report one error per column: a missing key causes thousands.
    if (firstError !== undefined) report(firstError);
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
