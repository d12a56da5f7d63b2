import type { Clock } from '#server/base/clock';
import type { Seal } from '#server/base/secrets/seal';
import type { Database } from '#server/base/store/database';
import { createReceiptKeys } from './receipt-keys.ts';
import { createReceipts } from './receipts.ts';
import { receiptRoutes } from './routes.ts';
import { createReceiptStore } from './store.ts';

export const openReceipts = ({ database, seal, clock }: { database: Database; seal: Seal; clock: Clock }) => {
  const store = createReceiptStore(database);
  const receipts = createReceipts({ store, keys: createReceiptKeys({ store, seal, clock }), clock });
  return {
    receipts,
    routes: receiptRoutes({ receipts }),
    // The next receipt is signed with a new key. The old public key still verifies.
    discards: { 'receipt_keys.sealed_private_key': store.retireKey },
  };
};
