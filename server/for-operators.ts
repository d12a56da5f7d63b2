// What recurs, what is due and what is sealed in all slices, without opening them: a command should be over before anybody
// waits.
import { nextRefresh, sealedInAccounts } from '#server/accounts/for-operators';
import { sealedInIdentity } from '#server/auth/identity-provider/store';
import type { DueKind } from '#server/jobs/notices';
import { nextMail, nextPush, sealedInMessages } from '#server/messages/for-operators';
import { nextPost, nextSend } from '#server/publishing/for-operators';
import { nextRead } from '#server/statistics/for-operators';
import type { Database } from '#server/store/database';
import { nextDelivery, sealedInWebhooks } from '#server/webhooks/for-operators';

export { readJobs } from '#server/jobs/for-operators';

/** Milliseconds until something is due; undefined when nothing is. */
export const nextDue: Readonly<Record<DueKind, (database: Database) => Promise<number | undefined>>> = {
  posts: nextPost,
  sends: nextSend,
  deliveries: nextDelivery,
  reads: nextRead,
  accounts: nextRefresh,
  mails: nextMail,
  pushes: nextPush,
};

export const sealedColumns = (database: Database) =>
  [sealedInIdentity, sealedInMessages, sealedInWebhooks, sealedInAccounts].flatMap((columnsIn) => columnsIn(database));
