import { hourMs } from '#contracts/time';
import type { AuditLog } from '#server/access/audit/audit-log';
import { emailKey } from '#server/access/auth/email-address';
import type { OneTimeSecrets } from '#server/access/auth/one-time-secrets';
import { Refusal } from '#server/base/errors';
import { letter } from '#server/messaging/messages/letter';
import type { Messages } from '#server/messaging/messages/messages';
import { checkPassword, type People } from './people.ts';
import type { UserStore } from './user-store.ts';

const maxPerHour = 3;

export type ForgottenPassword = ReturnType<typeof createForgottenPassword>;

/** Password reset by mail. */
export const createForgottenPassword = ({
  store,
  people,
  secrets,
  messages,
  audit,
  baseUrl,
}: {
  store: UserStore;
  people: People;
  secrets: OneTimeSecrets;
  messages: Messages;
  audit: AuditLog;
  baseUrl: string;
}) => ({
  isOffered: messages.hasMail,

  mustHaveMail: () => {
    if (!messages.hasMail) {
      throw new Refusal(
        'Forbidden',
        'No mail is sent from here. Ask the operator for a link: npx posthorn user reset --email <address>',
      );
    }
  },

  /** Sends nothing to an unknown address or above the hourly limit, and the caller learns neither. */
  ask: async (email: string, { requestId, address }: { requestId: string; address: string }) => {
    const user = await store.userByEmail(emailKey(email));
    if (user === null) return;
    await store.transaction(async () => {
      // Serialized, so that concurrent requests cannot exceed the limit.
      await store.lockUser(user.id);
      if ((await messages.countRecent(user.id, 'password', hourMs)) >= maxPerHour) return;
      const secret = await secrets.make('password', user.id);
      await messages.add([
        {
          purpose: 'password',
          userId: user.id,
          livesMs: hourMs,
          mail: {
            to: user.email,
            ...letter({
              subject: 'Set a new password for Posthorn',
              lines: [
                'Somebody asked to set a new password for your account.',
                'The link works once, within an hour. If it was not you, do nothing: your password stays as it is.',
              ],
              link: { label: 'Set a new password', url: `${baseUrl}/new-password/${secret}` },
              foot: `Sent by Posthorn at ${baseUrl}`,
            }),
          },
        },
      ]);
      const workspaceId = user.lastWorkspaceId ?? undefined;
      await audit.write({ event: 'password.asked', workspaceId, userId: user.id, requestId, details: { address } });
    });
  },

  /** Returns the user. All reset links of that person become invalid. */
  set: async (secret: string, password: string) => {
    checkPassword(password, 'password');
    return store.transaction(async () => {
      const userId = (await secrets.take(secret, 'password'))?.userId;
      if (userId === undefined) {
        throw new Refusal('NotFound', 'This link was used or is older than an hour. Ask for a new one.');
      }
      await secrets.dropOf(userId, 'password');
      await people.changePassword(userId, password, undefined);
      return userId;
    });
  },
});
