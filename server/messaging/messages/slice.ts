import type { Logger } from 'pino';
import { type Clock, type Stopwatch, startStopwatch as startSystemStopwatch } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Outbound } from '#server/base/outbound/guarded-client';
import type { Seal } from '#server/base/secrets/seal';
import type { Database } from '#server/base/store/database';
import { createMailer } from './mail.ts';
import { createMessageStore } from './message-store.ts';
import { createMessages } from './messages.ts';
import type { MessageMetrics } from './metrics.ts';
import { createPush } from './push.ts';
import { createPushStore } from './push-store.ts';

export const openMessages = ({
  database,
  outbound,
  seal,
  config: { mail, baseUrl },
  startStopwatch = () => startSystemStopwatch(),
  metrics: { messages: metrics },
  log,
  clock,
  report,
}: {
  database: Database;
  outbound: Outbound;
  seal: Seal;
  config: Config;
  /** For tests, which move time. */
  startStopwatch?: (() => Stopwatch) | undefined;
  metrics: { readonly messages: MessageMetrics };
  log: Logger;
  clock: Clock;
  report: (error: unknown) => void;
}) => {
  const mailer = mail && createMailer(mail, baseUrl);
  const fallbackContact = baseUrl.startsWith('https:') ? baseUrl : 'mailto:posthorn@localhost';
  const contact = mailer ? `mailto:${mailer.sender}` : fallbackContact;
  const pushStore = createPushStore(database);
  const push = createPush({ store: pushStore, outbound, seal, contact, clock });
  const store = createMessageStore(database);
  const { mails, pushes, ...messages } = createMessages({
    store,
    mailer,
    push,
    seal,
    startStopwatch,
    metrics,
    log,
    clock,
    report,
  });
  return {
    mailer,
    push,
    messages,
    forgetPerson: async (userId: string) => {
      await store.forgetPerson(userId);
      await pushStore.forgetPerson(userId);
    },
    heldMessages: {
      endHeld: (ids: readonly string[]) => store.endHeld(ids, 'Not sent: Posthorn was restored from a backup.'),
    },
    loops: { mails, pushes },
    discards: {
      'messages.content': store.discardLost,
      'push_subscriptions.subscription': pushStore.discardLost,
      'push_keys.private_key': pushStore.forgetKeys,
    },
    chores: { 'remove old mails and push messages': { every: '1 day', run: messages.purge } },
  };
};
