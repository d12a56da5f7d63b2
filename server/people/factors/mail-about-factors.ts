import { letter } from '#server/messaging/messages/letter';
import type { Messages } from '#server/messaging/messages/messages';

const livesMs = 24 * 3_600_000;

export type MailAboutFactors = ReturnType<typeof createMailAboutFactors>;

/** Tells a person that a factor of theirs was added or removed. */
export const createMailAboutFactors =
  ({ messages, baseUrl }: { messages: Messages; baseUrl: string }) =>
  (
    { userId, email }: { userId: string; email: string },
    { subject, lines }: { subject: string; lines: readonly string[] },
  ) =>
    messages.add([
      {
        purpose: 'passkey',
        userId,
        livesMs,
        mail: {
          to: email,
          ...letter({
            subject,
            lines: [
              ...lines,
              'If it was not you, change your password and look through your passkeys and second factors.',
            ],
            link: { label: 'Open your profile', url: `${baseUrl}/settings/profile` },
            foot: `Sent by Posthorn at ${baseUrl}`,
          }),
        },
      },
    ]);
