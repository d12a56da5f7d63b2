import type { Database } from '#server/base/store/database';
import { sealedInReceipts } from './store.ts';

/** For commands. Separate from the slice, because commands sign nothing and may have no encryption key. */
export const openReceiptInspection = ({ database }: { database: Database }) => ({ sealed: sealedInReceipts(database) });
