import type { Database } from '#server/store/database';
import { createMessageStore, sealedInMessages } from './store.ts';

/** What commands read of this slice. Opened apart, because they send nothing and may have no key. */
export const openMessageInspection = ({ database }: { database: Database }) => {
  const store = createMessageStore(database);
  return {
    due: { mails: () => store.msToNext('mail'), pushes: () => store.msToNext('push') },
    sealed: sealedInMessages(database),
  };
};
