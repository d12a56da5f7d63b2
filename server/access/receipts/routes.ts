import type { ReceiptRoutes } from '#contracts/receipts';
import type { RouteHandlers } from '#server/base/context';
import type { Receipts } from './receipts.ts';

export const receiptRoutes = ({ receipts }: { receipts: Receipts }): RouteHandlers<ReceiptRoutes> => ({
  getReceipt: ({ caller, params }) => receipts.ofCard(caller, params.id),
  listReceipts: ({ caller, query }) => receipts.page(caller, Number(query.after ?? 0)),
  listReceiptKeys: async () => ({ keys: await receipts.keys() }),
});
