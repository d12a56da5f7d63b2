import { z } from 'zod';
import { CanonicalInstant } from './define.ts';
import { mediaKinds } from './media-kinds.ts';

export const sendSteps = [
  'Queued',
  'Sending',
  'Media',
  'Processing',
  'Retrying',
  'Confirming',
  'Published',
  'Failed',
  'Uncertain',
] as const;

export const SendStep = z
  .object({
    accountId: z.string().describe('Account id, prefix `acct_`'),
    step: z
      .enum(sendSteps)
      .describe(
        'Queued: waits for its turn. Sending: a request has left. Media: a file is being uploaded. Processing: waits for the network. Retrying: the network did not take it. Confirming: the answer was lost, so the network is asked whether it has the post',
      ),
    startedAt: CanonicalInstant.describe('When publishing to this account began; publishing again begins anew'),
    part: z
      .object({
        number: z.int().positive().describe('Which part'),
        count: z.int().positive().describe('How many parts there are'),
      })
      .optional()
      .describe('Which part of a thread, where there are several'),
    media: z
      .object({
        kind: z.enum(mediaKinds).describe('What kind of file'),
        number: z.int().positive().describe('Which file of the part'),
        count: z.int().positive().describe('Files of the part'),
        sentBytes: z.int().nonnegative().optional().describe('How much of it has left, for a large file'),
        bytes: z.int().positive().optional().describe('Its size'),
      })
      .optional()
      .describe('The file that is being uploaded'),
    awaitsAnswer: z
      .literal(true)
      .optional()
      .describe('The request that makes it public has left, without an answer yet'),
    at: CanonicalInstant.optional().describe('When it continues'),
    elapsedMs: z.number().nonnegative().optional().describe('From startedAt to the end, as far as it is still known'),
  })
  .meta({ id: 'SendStep', description: 'How far publishing to one account is' });
export type SendStep = z.output<typeof SendStep>;
