import { setTimeout as sleep } from 'node:timers/promises';
import type { MailSettings } from '#server/base/config/config';
import { answerWithin } from '#server/base/health/answer-within';
import type { Letter } from './letter.ts';
import type { Outcome } from './outcome.ts';

const connectMs = 10_000;
const silenceMs = 15_000;
/** For the whole exchange; shorter than the lease of a message. */
const sendMs = 30_000;
/** Addresses that would need quoting in a header do not occur in practice, and could inject one. */
const plainAddress = /^[^\s@<>()[\]\\,;:"\p{C}]+@[^\s@<>()[\]\\,;:"\p{C}]+$/u;

export interface Mail extends Letter {
  readonly to: string;
}

export type Mailer = ReturnType<typeof createMailer>;

/** Hands mails to the operator's SMTP server. */
export const createMailer = ({ smtpUrl, from }: MailSettings, baseUrl: string) => {
  // Lazy: many installations send no mail.
  const open = async () =>
    (await import('nodemailer')).createTransport({
      url: smtpUrl,
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      socketTimeout: silenceMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  const sender = /<([^>]+)>$/.exec(from)?.[1] ?? from;

  return {
    sender,

    /** The message id is the same on every try, so that mail programs recognise a duplicate. */
    send: async (id: string, { to, ...letter }: Mail, { unsubscribe }: { unsubscribe: boolean }): Promise<Outcome> => {
      if (!plainAddress.test(to)) return { is: 'refused', answer: 'The address cannot be mailed to.' };
      const transport = await open();
      const timer = new AbortController();
      try {
        const sending = transport.sendMail({
          ...letter,
          from,
          to: { name: '', address: to },
          envelope: { from: sender, to: [to] },
          messageId: `<${id}@${new URL(baseUrl).hostname}>`,
          headers: {
            'Auto-Submitted': 'auto-generated',
            ...(unsubscribe && { 'List-Unsubscribe': `<${baseUrl}/settings/profile#notifications>` }),
          },
        });
        const timeout = sleep(sendMs, undefined, { signal: timer.signal, ref: false }).then(() => {
          throw new Error('The mail server took too long.');
        });
        const { response } = await Promise.race([sending, timeout]);
        return { is: 'sent', answer: response };
      } catch (error) {
        const { message, responseCode = 0, code } = error as Error & { responseCode?: number; code?: string };
        // A wrong SMTP password is the operator's mistake, not the mail's: once corrected, a retry succeeds.
        const isFinal = responseCode >= 500 && code !== 'EAUTH';
        return { is: isFinal ? 'refused' : 'failed', answer: message.slice(0, 500) };
      } finally {
        timer.abort();
        transport.close();
      }
    },

    /** Whether the server answers and lets us in. */
    check: async () => {
      const transport = await open();
      await answerWithin(() => transport.verify()).finally(() => transport.close());
    },
  };
};
