import type { Live } from '#server/base/live/live';
import type { Seal } from '#server/base/secrets/seal';
import type { Networks } from '#server/networks/registry';
import { createSettingReader, openValues, type Values } from './entered-settings.ts';
import type { NetworkKeyRow, NetworkKeyStore } from './store.ts';

export type EnteredKeys = ReturnType<typeof createEnteredKeys>;

/**
 * Credentials that the operator entered in the app. Every instance has them in memory, because they are read for each
 * request; a notification makes it read them again.
 */
export const createEnteredKeys = ({
  store,
  networks,
  environment,
  live,
  seal,
  report,
}: {
  store: NetworkKeyStore;
  networks: Networks;
  /** Takes precedence for a network as a whole: if it has one of the credentials, it must have all of them. */
  environment: (name: string) => string | undefined;
  live: Pick<Live, 'onChange'>;
  seal: Seal;
  report: (error: unknown) => void;
}) => {
  let entered = new Map<string, NetworkKeyRow & { readonly values: Values }>();
  const registered = networks.all.filter(({ settings }) => settings.length > 0);
  const { setting, isInEnvironment } = createSettingReader({
    networks: registered,
    environment,
    enteredValues: (id) => entered.get(id)?.values,
  });

  const readRows = async () => {
    const rows = await store.all();
    entered = new Map(
      rows.flatMap((row) => {
        try {
          return [[row.id, { ...row, values: openValues(seal, row) }] as const];
        } catch (error) {
          // The key that encrypted them is lost. Other networks keep working.
          report(error);
          return [];
        }
      }),
    );
  };

  let lastRead: Promise<void> = Promise.resolve();
  /** Reads run one after the other, so that an earlier result never replaces a later one. */
  const read = () => {
    lastRead = lastRead.then(readRows, readRows);
    return lastRead;
  };
  // Runs before the open tabs of this instance are notified.
  live.onChange(({ kind }) => {
    if (kind === 'provider') read().catch(report);
  });

  return {
    /** The networks that need credentials. */
    registered,
    read,
    /** Resolves when this instance has finished its latest read. A tab that received the event asks right after it. */
    settled: () => lastRead.catch(() => undefined),
    setting,
    isInEnvironment,
    /** `id` is the name of the network's first setting. */
    find: (id: string) => entered.get(id),
  };
};
