import { z } from 'zod';
import { appRoute, byId, Done, Empty, publicRoute, type Route } from './define.ts';
import { FactorCode, FactorProof, FactorQuestion, PasskeyOptions, PasskeyResponse } from './passkeys.ts';
import { SessionRecord } from './people.ts';

const RecoveryCodes = z
  .object({ recoveryCodes: z.array(z.string()).describe('Ten; shown only this once. Each works once') })
  .meta({ id: 'RecoveryCodes', description: 'Codes for when the app is lost. Earlier ones no longer work' });
export const secondFactorRoutes = {
  readSecondStep: publicRoute({
    method: 'GET',
    path: '/api/auth/second-factor',
    tag: 'Session',
    summary: 'Read which second factor a sign-in waits for',
    description:
      'After a password, a one-time link or a new password was accepted, for a person who has a second factor. NotFound when no sign-in of this browser waits.',
    answer: z.object({
      totp: z.boolean().describe('A code from an app, or a recovery code'),
      passkey: z.boolean().describe('A passkey'),
    }),
    more: ['NotFound'],
  }),

  beginSecondStep: publicRoute({
    method: 'POST',
    path: '/api/auth/second-factor/begin',
    tag: 'Session',
    summary: 'Begin to give a passkey as second factor',
    description: 'Returns what the browser needs.',
    body: Empty,
    answer: PasskeyOptions,
    more: ['NotFound'],
  }),

  finishSecondStep: publicRoute({
    method: 'POST',
    path: '/api/auth/second-factor',
    tag: 'Session',
    summary: 'Give the second factor',
    description:
      'Sets the session cookie. A sign-in that waits ends after 10 minutes or 10 tries. After five wrong codes in a row for a person, each further try must wait longer.',
    body: z.strictObject({
      code: FactorCode.default(''),
      response: PasskeyResponse.optional(),
    }),
    answer: SessionRecord,
    more: ['NotFound'],
  }),

  readFactors: appRoute({
    method: 'GET',
    path: '/api/app/second-factors',
    tag: 'Session',
    summary: 'Read your second factors',
    description: 'The authenticator app, and how many recovery codes are left. Passkeys have a list of their own.',
    answer: z.object({
      totp: z
        .object({ since: z.string().describe('ISO-8601 instant') })
        .optional()
        .describe('The authenticator app; absent: none'),
      recoveryCodes: z.int().describe('How many are left'),
      asks: FactorQuestion,
    }),
  }),

  beginTotp: appRoute({
    method: 'POST',
    path: '/api/app/totp/begin',
    tag: 'Session',
    summary: 'Begin to set up an authenticator app',
    description:
      'Returns the secret for the app. It takes effect when confirmTotp accepts its first code, in this browser and within 15 minutes.',
    body: FactorProof,
    answer: z
      .object({
        secret: z.string().describe('To type into the app, in base32'),
        uri: z.string().describe('The same with names, for a QR code'),
      })
      .meta({ id: 'TotpSecret', description: 'What an app needs to make codes' }),
    more: ['Conflict'],
  }),

  confirmTotp: appRoute({
    method: 'POST',
    path: '/api/app/totp',
    tag: 'Session',
    summary: 'Finish setting up an authenticator app',
    description: 'From now on every sign-in with a password or a link asks for a code. You get a mail about it.',
    body: z.strictObject({ code: FactorCode.describe('Six digits from the app') }),
    answer: RecoveryCodes,
    more: ['Conflict'],
  }),

  removeTotp: appRoute({
    method: 'POST',
    path: '/api/app/totp/remove',
    tag: 'Session',
    summary: 'Remove the authenticator app',
    description: 'Also removes the recovery codes. You get a mail about it.',
    body: FactorProof,
    answer: Done,
    more: ['Conflict'],
  }),

  renewRecoveryCodes: appRoute({
    method: 'POST',
    path: '/api/app/recovery-codes',
    tag: 'Session',
    summary: 'Make new recovery codes',
    description: 'The earlier ones no longer work. You get a mail about it.',
    body: FactorProof,
    answer: RecoveryCodes,
    more: ['Conflict'],
  }),

  resetFactors: appRoute({
    method: 'POST',
    path: '/api/app/members/:id/reset-factors',
    tag: 'Members',
    summary: 'Remove the second factors of a member',
    description:
      'For somebody who lost them, with your own password or a code: the authenticator app, recovery codes and passkeys are removed, and all their sessions end. They get a mail. Only for a person whose workspaces are all yours; for others, and for the operator, there is `posthorn user reset`.',
    roles: ['owner'],
    params: byId('User id of the member'),
    body: FactorProof,
    answer: Done,
    more: ['NotFound', 'Conflict'],
  }),
} as const satisfies Record<string, Route>;
export type SecondFactorRoutes = typeof secondFactorRoutes;
