import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { minuteMs } from '#contracts/time';
import { emailKey } from '#server/access/auth/email-address';
import type { Clock, Stopwatch } from '#server/base/clock';
import { newId } from '#server/base/ids';
import { createDueLoop, type DueLoop } from '#server/base/jobs/due-loop';
import type { Seal } from '#server/base/secrets/seal';
import { sha256 } from '#server/base/sha256';
import type { Mail, Mailer } from './mail.ts';
import type { Channel, ClaimedMessage, MessageStore } from './message-store.ts';
import type { MessageMetrics } from './metrics.ts';
import type { Outcome } from './outcome.ts';
import type { Push, PushMessage } from './push.ts';

/** The delay after each failed attempt; after the last one the message is given up. */
export const retryDelaysMs = [1, 5, 30, 2 * 60, 6 * 60].map((minutes) => minutes * minuteMs);
/** Longer than any attempt takes: when it expires, the claiming process has died, and another one retries. */
const leaseMs = 60_000;
const sendWithinMs = leaseMs / 2;
const concurrency: Record<Channel, number> = { mail: 8, push: 32 };
/** A burst that lasts longer is reported after this time. */
const maxDelayMs = 2 * minuteMs;
const retentionMs = 30 * 24 * 60 * minuteMs;

/** People can switch notifications off, but not the others. */
export type Purpose = 'notification' | 'invitation' | 'password' | 'passkey';

interface About {
  readonly purpose: Purpose;
  /** Absent for somebody who has no account yet. */
  readonly userId?: string;
  /** Absent when it concerns only the person. */
  readonly workspaceId?: string;
  /** After this time the message is worthless and is not sent any more. */
  readonly livesMs: number;
  /** The key by which `replaceWaiting` and `dropWaiting` find it. */
  readonly about?: string | undefined;
  /** For bursts: the message waits this long, and later messages of the burst replace it. */
  readonly delayMs?: number | undefined;
}

export type NewMessage = About & ({ readonly mail: Mail } | { readonly push: PushMessage; readonly browserId: string });

interface ClaimedSend extends ClaimedMessage {
  mayBegin(): boolean;
}

export type Messages = Omit<ReturnType<typeof createMessages>, 'mails' | 'pushes'>;

/** Mails and push messages. Each is sent at least once, and with the same id if it is sent again. */
export const createMessages = ({
  store,
  mailer,
  push,
  seal,
  startStopwatch,
  metrics,
  log,
  clock,
  report,
}: {
  store: MessageStore;
  mailer: Mailer | undefined;
  push: Push;
  seal: Seal;
  startStopwatch: () => Stopwatch;
  metrics: MessageMetrics;
  log: Logger;
  clock: Clock;
  report: (error: unknown) => void;
}) => {
  const placeOf = (id: string) => `messages:${id}:content`;

  const sendMail = (message: ClaimedSend): Promise<Outcome> => {
    if (mailer === undefined) return Promise.resolve({ is: 'refused', answer: 'SMTP_URL is not set.' });
    if (!message.mayBegin()) return Promise.resolve({ is: 'late' });
    const mail = JSON.parse(seal.open(message.content, placeOf(message.id))) as Mail;
    return mailer.send(message.id, mail, { unsubscribe: message.purpose === 'notification' });
  };

  const sendPush = (message: ClaimedSend): Promise<Outcome> => {
    if (message.browser === null) return Promise.resolve({ is: 'refused', answer: 'The browser is gone.' });
    const content = JSON.parse(seal.open(message.content, placeOf(message.id))) as PushMessage;
    return push.send(message.browser, content, message);
  };

  const handle = async (channel: Channel, message: ClaimedSend, send: typeof sendMail) => {
    const outcome: Outcome =
      message.leftMs <= 0 ? { is: 'refused', answer: 'Not sent: it is too old.' } : await send(message);
    if (outcome.is === 'late') return;
    metrics.tried(channel, outcome.is);
    if (outcome.is === 'sent') {
      await store.saveSent(message, outcome.answer);
      return;
    }
    const waitMs = outcome.is === 'failed' ? retryDelaysMs[message.attempts] : undefined;
    // Without the address, because more people read logs than mails.
    if (await store.saveFailed(message, outcome.answer, waitMs)) {
      log.warn({ messageId: message.id, purpose: message.purpose, answer: outcome.answer }, 'a message was given up');
    }
  };

  const loop = (channel: Channel, send: typeof sendMail): DueLoop =>
    createDueLoop<ClaimedSend>({
      concurrency: concurrency[channel],
      claim: async (room) => {
        const sinceClaimed = startStopwatch();
        const claimed = await store.claim(channel, room, randomUUID(), leaseMs);
        const mayBegin = () => sinceClaimed() < sendWithinMs;
        return claimed.map((message) => ({ ...message, mayBegin }));
      },
      handle: (message) => handle(channel, message, send),
      msToNext: () => store.msToNext(channel),
      report,
    });

  const add = async (messages: readonly (NewMessage & { readonly createdAt?: string })[]) => {
    const now = clock.now();
    const rows = messages
      .filter((message) => 'push' in message || mailer !== undefined)
      .map((message) => {
        const id = newId('message', now);
        const {
          purpose,
          userId = null,
          workspaceId = null,
          livesMs,
          about = null,
          delayMs = 0,
          createdAt = null,
        } = message;
        const [channel, content, subscriptionId, recipient] =
          'push' in message
            ? (['push', message.push, message.browserId, null] as const)
            : (['mail', message.mail, null, hashOf(message.mail.to)] as const);
        const sealed = seal.seal(JSON.stringify(content), placeOf(id));
        return {
          id,
          channel,
          purpose,
          userId,
          workspaceId,
          recipient,
          subscriptionId,
          content: sealed,
          livesMs,
          about,
          delayMs,
          createdAt,
        };
      });
    if (rows.length > 0) await store.insert(rows);
  };

  return {
    mails: loop('mail', sendMail),
    pushes: loop('push', sendPush),

    hasMail: mailer !== undefined,

    /** Called inside the transaction of the event they report. Mails are left out when no mail server is configured. */
    add,

    /**
     * Replaces messages with the same `about` that still wait. Recipients whose message was already sent get no other.
     */
    replaceWaiting: async (workspaceId: string, about: string, messages: readonly NewMessage[]) => {
      const dropped = await store.dropWaiting(workspaceId, about);
      const firstOf = (message: NewMessage) =>
        dropped.find(
          ({ userId, subscriptionId }) =>
            userId === message.userId && subscriptionId === ('push' in message ? message.browserId : null),
        )?.createdAt;
      const now = clock.now().getTime();
      await add(
        messages.flatMap((message) => {
          const createdAt = firstOf(message);
          if (createdAt === undefined) return [];
          const leftMs = Math.max(0, Date.parse(createdAt) + maxDelayMs - now);
          return [{ ...message, createdAt, delayMs: Math.min(message.delayMs ?? 0, leftMs) }];
        }),
      );
    },

    /** Drops waiting messages whose news is no longer true. */
    dropWaiting: (workspaceId: string, about: string) => store.dropWaiting(workspaceId, about),

    /** How many messages this person was sent for this purpose, delivered or not. */
    countRecent: (userId: string, purpose: Purpose, withinMs: number) => store.countRecent(userId, purpose, withinMs),

    /** The same by address, for people without an account. */
    countRecentTo: (email: string, purpose: Purpose, withinMs: number) =>
      store.countRecentTo(hashOf(email), purpose, withinMs),

    /** When somebody leaves a workspace, unsent messages to them about it are dropped. */
    dropPending: ({ userId, workspaceId }: { userId: string; workspaceId: string }) =>
      store.dropPending(userId, workspaceId, 'Not sent: they are no longer a member of the workspace.'),

    purge: () => store.purge(retentionMs),
  };
};

const hashOf = (email: string) => sha256(emailKey(email));
