import type { Database } from '#server/base/store/database';
import { createMessageStore, sealedMessages } from './message-store.ts';
import { sealedInPush } from './push-store.ts';

/** For commands. Separate from the slice, because commands send nothing and may have no encryption key. */
export const openMessageInspection = ({ database }: { database: Database }) => {
  const store = createMessageStore(database);
  return {
    due: { mails: () => store.msToNext('mail'), pushes: () => store.msToNext('push') },
    sealed: [sealedMessages(database), ...sealedInPush(database)],
  };
};
