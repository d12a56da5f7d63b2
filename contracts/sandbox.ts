import { z } from 'zod';
import { appRoute, CanonicalInstant, Done, type Route } from './define.ts';
import { NetworkKey, NetworkName, ProviderName } from './providers.ts';
import { admins, editors, everyone } from './scopes.ts';

const Moment = z
  .enum(['upload', 'publish', 'read'])
  .describe('While media come in, when a post is sent, when numbers are read');
const FaultName = z.string().describe('Such as `429`, `lost` or `expired-token`');

export const SandboxPost = z
  .object({
    id: z.string().describe('As this network numbers its posts; `externalId` of a result'),
    author: z.string().describe('Name of the account it was posted with'),
    text: z.string().describe('As it arrived'),
    media: z
      .array(
        z.object({
          name: z.string().describe('The end of its address, or what the network calls it; at most 40 characters'),
          thumbnailUrl: z.string().optional().describe('Present where the network fetches media from this server'),
        }),
      )
      .describe('In display order'),
    replyTo: z.string().optional().describe('Id of the post that it answers to'),
    createdAt: CanonicalInstant,
    numbers: z.record(z.string(), z.int()).describe('What its readers did, as the network would report it'),
  })
  .meta({ id: 'SandboxPost', description: 'A post as outsiders see it on a sandbox network' });

export const sandboxRoutes = {
  readSandbox: appRoute({
    method: 'GET',
    path: '/api/app/sandbox',
    tag: 'Sandbox',
    summary: 'Read the sandbox networks',
    description:
      'What was posted there by every workspace of this server, newest first, and which faults are planned there.',
    roles: everyone,
    answer: z.object({
      now: z.string().describe('ISO-8601 instant: the clock of Posthorn'),
      aheadMs: z.int().describe('How far the clock was moved; 0 is real time'),
      faults: z
        .array(z.object({ fault: FaultName, effect: z.string().describe('What the network does then') }))
        .describe('What can be planned'),
      networks: z
        .array(
          z.object({
            network: NetworkKey,
            provider: ProviderName,
            posts: z.array(SandboxPost).describe('The newest first, at most 100'),
            planned: z
              .array(
                z.object({
                  moment: Moment,
                  fault: FaultName,
                  times: z.int().nullable().describe('Calls that will fail; null: every one until it is cancelled'),
                }),
              )
              .describe('At most one for each moment'),
          }),
        )
        .describe('One entry per network'),
    }),
  }),

  connectSandboxAccounts: appRoute({
    method: 'POST',
    path: '/api/app/sandbox/accounts',
    tag: 'Sandbox',
    summary: 'Connect sandbox accounts',
    description:
      'Connects one account for each of these sandbox networks, as a person does who gives consent on their pages. An account that is already connected gets new access. Not in production.',
    roles: admins,
    body: z.strictObject({
      networks: z
        .array(z.string().max(50))
        .min(1)
        .max(50)
        .describe('Keys of networks with `sandbox`, see providers.list'),
    }),
    answer: z.object({ accountIds: z.array(z.string()).describe('In the order of networks') }),
    more: ['PlanLimit', 'NotFound', 'Conflict'],
  }),

  pretendRequest: appRoute({
    method: 'POST',
    path: '/api/app/sandbox/requests',
    tag: 'Sandbox',
    summary: 'Pretend that an agent asks',
    description:
      'Writes a post for these sandbox accounts and asks to publish it, as an MCP client would, so that a person sees what an approval is. Not in production.',
    roles: editors,
    body: z.strictObject({
      accountIds: z.array(z.string().max(50)).min(1).max(50).describe('Accounts on networks with `sandbox`'),
    }),
    answer: z.object({ cardId: z.string().describe('The card that waits for a decision') }),
    more: ['NotFound', 'Invalid', 'PlanLimit', 'Conflict'],
  }),

  readSandboxClock: appRoute({
    method: 'GET',
    path: '/api/app/sandbox/clock',
    tag: 'Sandbox',
    summary: 'Read the clock',
    description: 'The clock of Posthorn. Outside production it can be ahead of real time.',
    roles: everyone,
    answer: z.object({ now: CanonicalInstant }),
  }),

  moveSandboxClock: appRoute({
    method: 'POST',
    path: '/api/app/sandbox/clock',
    tag: 'Sandbox',
    summary: 'Move the clock forward',
    description:
      'For the whole deployment, forward only, and not in production: what is due in thirty days can be watched in a minute. For the person who set Posthorn up, while no account on a live network is connected.',
    roles: everyone,
    body: z.strictObject({
      forwardMs: z.coerce.number<number | string>().int().min(1).describe('How far, in milliseconds'),
    }),
    answer: z.object({ now: CanonicalInstant }),
  }),

  planSandboxFault: appRoute({
    method: 'POST',
    path: '/api/app/sandbox/faults',
    tag: 'Sandbox',
    summary: 'Make a sandbox network fail',
    description: 'The next calls of one kind fail in a chosen way. Not in production.',
    roles: admins,
    body: z.strictObject({
      network: NetworkName,
      moment: Moment,
      fault: FaultName.max(50).describe('One of `faults` of readSandbox; empty cancels what was planned'),
      times: z.coerce.number<number | string>().int().min(1).max(1000).default(1).describe('How many calls fail'),
    }),
    answer: Done,
    more: ['NotFound'],
  }),
} as const satisfies Record<string, Route>;
export type SandboxRoutes = typeof sandboxRoutes;
