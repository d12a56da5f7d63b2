import type { ReceiptKey, SignedEntry } from '#contracts/receipts';
import type { Database } from '#server/base/store/database';
import { createReceiptStore, type ReceiptRow } from './store.ts';

const batch = 500;

export const toSigned = ({
  body,
  keyId,
  signature,
}: Pick<ReceiptRow, 'body' | 'keyId' | 'signature'>): SignedEntry => ({
  entry: JSON.parse(body),
  keyId,
  signature,
});

/** A row that is no longer valid JSON has no valid signature either, and is reported by its row number. */
const toSignedOrBroken = (row: Pick<ReceiptRow, 'number' | 'body' | 'keyId' | 'signature'>): SignedEntry => {
  try {
    return toSigned(row);
  } catch {
    const { number, keyId, signature } = row;
    return { entry: { number } as SignedEntry['entry'], keyId, signature };
  }
};

/** For `posthorn verify`, which has no key to decrypt with. */
export const readWholeLog = async (
  database: Database,
  workspaceId: string,
): Promise<{ entries: SignedEntry[]; keys: ReceiptKey[] }> => {
  const store = createReceiptStore(database);
  const entries: SignedEntry[] = [];
  for (let after = 0; ; ) {
    const rows = await store.page(workspaceId, after, batch);
    entries.push(...rows.map(toSignedOrBroken));
    if (rows.length < batch) return { entries, keys: await store.publicKeys() };
    after = rows.at(-1)?.number ?? after;
  }
};
