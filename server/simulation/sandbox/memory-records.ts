import type { SandboxRecord, SandboxStore } from './store.ts';

export interface MemoryLimits {
  /** Of one kind on one network, such as posts, tokens or uploads. */
  readonly maxRecords: number;
  /** JSON characters of all records of one kind on one network. */
  readonly maxCharacters: number;
}

export interface MemorySandboxStore extends SandboxStore {
  /** The initial records for another store. */
  snapshot(): SandboxRecord[];
}

const unlimited: MemoryLimits = {
  maxRecords: Number.POSITIVE_INFINITY,
  maxCharacters: Number.POSITIVE_INFINITY,
};

/** For sandboxes whose posts end with the process: `posthorn twins`, tests and benchmarks. */
export const createMemorySandboxStore = (
  limits = unlimited,
  initial: readonly SandboxRecord[] = [],
): MemorySandboxStore => {
  const kinds = new Map<string, Records>();
  const nameOf = (network: string, kind: string) => `${network} ${kind}`;
  const find = (network: string, kind: string) => kinds.get(nameOf(network, kind));
  const open = ({ network, kind }: SandboxRecord) => {
    const name = nameOf(network, kind);
    const records = kinds.get(name) ?? createRecords(limits);
    kinds.set(name, records);
    return records;
  };
  const newest = (network: string, kind: string, isMatch: (record: SandboxRecord) => boolean, limit: number) =>
    (find(network, kind)?.newestFirst() ?? [])
      .filter(isMatch)
      .slice(0, limit)
      .map(({ value }) => value);

  for (const record of initial) open(record).put(record);
  return {
    snapshot: () => [...kinds.values()].flatMap((records) => records.newestFirst().reverse()),
    put: async (record) => open(record).put(record),
    add: async (record) => {
      const records = open(record);
      if (records.get(record.id)) return false;
      records.put(record);
      return true;
    },
    get: async (network, kind, id) => find(network, kind)?.get(id)?.value,
    take: async (network, kind, id) => find(network, kind)?.take(id)?.value,
    countDown: async (network, kind, id) => {
      const records = find(network, kind);
      const record = records?.get(id);
      const { times } = (record?.value ?? { times: 0 }) as { times: number };
      if (record === undefined || times <= 0) return undefined;
      const value = { ...(record.value as object), times: times - 1 };
      records?.put({ ...record, value });
      return value;
    },
    ofOwner: async (network, kind, owner, limit) => newest(network, kind, (record) => record.owner === owner, limit),
    ofParent: async (network, kind, parent, limit) =>
      newest(network, kind, (record) => record.parent === parent, limit),
    newest: async (network, kind, limit) => newest(network, kind, () => true, limit),
    removeOwned: async (network, kindPrefix, owner) => {
      for (const [name, records] of kinds) {
        if (!name.startsWith(nameOf(network, kindPrefix))) continue;
        for (const record of records.newestFirst()) if (record.owner === owner) records.take(record.id);
      }
    },
  };
};

type Records = ReturnType<typeof createRecords>;

/** The records of one kind on one network. Over a limit the oldest is dropped. */
const createRecords = ({ maxRecords, maxCharacters }: MemoryLimits) => {
  const byId = new Map<string, SandboxRecord>();
  const sizes = new Map<string, number>();
  let characters = 0;

  const take = (id: string) => {
    const record = byId.get(id);
    characters -= sizes.get(id) ?? 0;
    sizes.delete(id);
    byId.delete(id);
    return record;
  };

  /** Never drops the newest record, however large: its sender was told that it exists. */
  const dropOldest = () => {
    while (byId.size > 1 && (byId.size > maxRecords || characters > maxCharacters)) {
      const [oldest] = byId.keys();
      if (oldest === undefined) return;
      take(oldest);
    }
  };

  return {
    newestFirst: () => [...byId.values()].reverse(),
    get: (id: string) => byId.get(id),
    take,
    put: (record: SandboxRecord) => {
      if (Number.isFinite(maxCharacters)) {
        const size = JSON.stringify(record.value).length;
        characters += size - (sizes.get(record.id) ?? 0);
        sizes.set(record.id, size);
      }
      byId.set(record.id, record);
      dropOldest();
    },
  };
};
