import type { SandboxRecord, SandboxStore } from './store.ts';

/** For a sandbox that nobody needs to find again: tests and metrics. */
export const createMemorySandboxStore = (): SandboxStore => {
  const all = new Map<string, SandboxRecord>();
  const keyOf = (network: string, kind: string, id: string) => JSON.stringify([network, kind, id]);
  const newestFirst = (network: string, kind: string, wanted: (record: SandboxRecord) => boolean, limit: number) => {
    const found: SandboxRecord[] = [];
    for (const record of [...all.values()].reverse()) {
      if (found.length === limit) break;
      if (record.network === network && record.kind === kind && wanted(record)) found.push(record);
    }
    return found.map(({ value }) => value);
  };
  return {
    put: async (record) => {
      all.set(keyOf(record.network, record.kind, record.id), record);
    },
    add: async (record) => {
      const key = keyOf(record.network, record.kind, record.id);
      if (all.has(key)) return false;
      all.set(key, record);
      return true;
    },
    get: async (network, kind, id) => all.get(keyOf(network, kind, id))?.value,
    take: async (network, kind, id) => {
      const key = keyOf(network, kind, id);
      const found = all.get(key)?.value;
      all.delete(key);
      return found;
    },
    countDown: async (network, kind, id) => {
      const key = keyOf(network, kind, id);
      const found = all.get(key);
      const { times } = (found?.value ?? { times: 0 }) as { times: number };
      if (found === undefined || times <= 0) return undefined;
      const value = { ...(found.value as object), times: times - 1 };
      all.set(key, { ...found, value });
      return value;
    },
    ofOwner: async (network, kind, owner, limit) =>
      newestFirst(network, kind, (record) => record.owner === owner, limit),
    ofParent: async (network, kind, parent, limit) =>
      newestFirst(network, kind, (record) => record.parent === parent, limit),
    newest: async (network, kind, limit) => newestFirst(network, kind, () => true, limit),
    removeOwned: async (network, kindPrefix, owner) => {
      for (const [key, record] of all) {
        if (record.network === network && record.kind.startsWith(kindPrefix) && record.owner === owner) all.delete(key);
      }
    },
  };
};
