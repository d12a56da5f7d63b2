import { z } from 'zod';
import { appRoute, byId, CanonicalInstant, Done, Empty, Name, publicRoute, type Route } from './define.ts';
import { SessionRecord } from './people.ts';

const Passkey = z
  .object({
    id: z.string().describe('Passkey id, prefix `pky_`'),
    name: z.string().describe('What its owner calls it'),
    fingerprint: z.string().describe('First 32 hex digits of the SHA-256 of its public key, as `verify` names it'),
    createdAt: CanonicalInstant,
    lastUsedAt: z.string().optional().describe('ISO-8601 instant; absent before the first sign-in'),
  })
  .meta({ id: 'Passkey', description: 'A device or password manager that can sign its owner in' });

export const PasskeyOptions = z
  .object({ options: z.record(z.string(), z.unknown()).describe('For the browser, as WebAuthn defines them in JSON') })
  .meta({ id: 'PasskeyOptions', description: 'What the browser asks the passkey for. Works once, within 5 minutes' });

export const PasskeyResponse = z
  .record(z.string().max(100), z.unknown())
  .describe('Answer of the browser, as WebAuthn defines it in JSON');
const CurrentPassword = z
  .string()
  .max(1024)
  .default('')
  .describe('Your current password; empty when none is set, or within an hour after sign-in with a one-time link');

export const FactorCode = z
  .string()
  .trim()
  .max(100)
  .describe('Six digits from your app, or a recovery code; each works once');
export const FactorProof = z.strictObject({
  password: CurrentPassword,
  code: FactorCode.default('').describe('In place of the password: a code from your app, or a recovery code'),
});
export const FactorQuestion = z
  .enum(['password', 'code', 'nothing', 'sign-in'])
  .describe(
    'What you have to send with a change. nothing: you have neither password nor authenticator app, or came by a one-time link, within the last hour. sign-in: that was longer ago, so sign in again first',
  );
export type FactorQuestion = z.output<typeof FactorQuestion>;

export const passkeyRoutes = {
  listPasskeys: appRoute({
    method: 'GET',
    path: '/api/app/passkeys',
    tag: 'Session',
    summary: 'List your passkeys',
    description: 'They sign you in without a password.',
    answer: z.object({
      passkeys: z.array(Passkey).describe('The newest first'),
      unavailable: z.string().optional().describe('Why passkeys cannot work at this address; absent: they can'),
      asks: FactorQuestion,
    }),
  }),

  beginPasskey: appRoute({
    method: 'POST',
    path: '/api/app/passkeys/begin',
    tag: 'Session',
    summary: 'Begin to add a passkey',
    description: 'Asks for the password or a code, and returns what the browser needs to make a passkey.',
    body: FactorProof,
    answer: PasskeyOptions,
  }),

  addPasskey: appRoute({
    method: 'POST',
    path: '/api/app/passkeys',
    tag: 'Session',
    summary: 'Add a passkey',
    description: 'Stores what the browser made. You get a mail about it.',
    body: z.strictObject({ name: Name.describe('What you call it'), response: PasskeyResponse }),
    answer: Passkey,
    more: ['Conflict'],
  }),

  removePasskey: appRoute({
    method: 'POST',
    path: '/api/app/passkeys/:id/remove',
    tag: 'Session',
    summary: 'Remove a passkey',
    description: 'It stops working at once; open sessions stay. You get a mail about it.',
    params: byId('Passkey id'),
    body: FactorProof,
    answer: Done,
    more: ['NotFound'],
  }),

  beginPasskeySignIn: publicRoute({
    method: 'POST',
    path: '/api/auth/passkeys/begin',
    tag: 'Session',
    summary: 'Begin to sign in with a passkey',
    description: 'Returns what the browser needs. Says nothing about who is here.',
    body: Empty,
    answer: PasskeyOptions,
  }),

  signInWithPasskey: publicRoute({
    method: 'POST',
    path: '/api/auth/passkeys',
    tag: 'Session',
    summary: 'Sign in with a passkey',
    description: 'Sets the session cookie.',
    body: z.strictObject({ response: PasskeyResponse }),
    answer: SessionRecord,
  }),
} as const satisfies Record<string, Route>;
export type PasskeyRoutes = typeof passkeyRoutes;
