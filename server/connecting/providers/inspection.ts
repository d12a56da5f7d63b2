import type { Seal } from '#server/base/secrets/seal';
import type { Database } from '#server/base/store/database';
import { isNotMigrated } from '#server/base/store/pg-errors';
import { openValues, type Values } from './entered-settings.ts';
import { createNetworkKeyStore, sealedInNetworkKeys } from './store.ts';

/** What commands read of this slice. */
export const openNetworkKeyInspection = ({ database }: { database: Database }) => {
  const readRows = async () => {
    try {
      return await createNetworkKeyStore(database).all();
    } catch (error) {
      if (isNotMigrated(error)) return [];
      throw error;
    }
  };
  return {
    sealed: sealedInNetworkKeys(database),

    /** The networks whose credentials were entered in the app, by their first setting. */
    enteredKeys: async (): Promise<string[]> => (await readRows()).map(({ id }) => id),

    /** Their credentials, by the same. */
    enteredValues: async (seal: Seal): Promise<ReadonlyMap<string, Values>> =>
      new Map((await readRows()).map((row) => [row.id, openValues(seal, row)])),
  };
};
