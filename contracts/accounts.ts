import { z } from 'zod';
import { action, Empty, Id } from './define.ts';
import { admins, everyone } from './scopes.ts';

export const Account = z
  .object({
    id: z.string().describe('Account id, prefix `acct_`'),
    provider: z.string().describe('Display name of the network, such as `Bluesky`'),
    network: z.string().describe('Key of the network, such as `bluesky`; option keys begin with it'),
    name: z.string().describe('Display name of the account on the network'),
    handle: z.string().describe('User name on the network'),
    avatarUrl: z.string().optional().describe('Picture of the account'),
    status: z
      .enum(['Connected', 'NeedsReconnect'])
      .describe('NeedsReconnect: the network refused our access; publishing fails until the account is reconnected'),
    statistics: z
      .enum(['Ok', 'Reconnect', 'None'])
      .describe(
        'Ok: numbers are read. Reconnect: a permission is missing, see statisticsMessage. None: the network reports nothing',
      ),
    statisticsMessage: z.string().optional().describe('What to do to get statistics; only with `Reconnect`'),
    connectedAt: z.string().describe('ISO-8601 instant'),
  })
  .meta({ id: 'Account', description: 'A connected account on a social network. Its tokens are never shown' });
export type Account = z.output<typeof Account>;

export const Deleted = z
  .object({ id: z.string().describe('What was deleted'), deleted: z.literal(true) })
  .meta({ id: 'Deleted' });

export const exampleAccount: Account = {
  id: 'acct_01JCQ2X7M8T9V0W1X2Y3Z4A5B6',
  provider: 'Bluesky',
  network: 'bluesky',
  name: 'Anna Example',
  handle: 'anna.bsky.social',
  status: 'Connected',
  statistics: 'Ok',
  connectedAt: '2026-11-02T08:15:00.000Z',
};

export const accountActions = {
  'accounts.list': action({
    kind: 'ReadOnly',
    scope: 'posts:read',
    roles: everyone,
    mcp: 'Listed',
    summary: 'List connected accounts',
    description:
      'The accounts this workspace can publish to. Read it first: posts take account ids, and the network of an account decides its limits and options.',
    input: Empty,
    output: z.object({ accounts: z.array(Account).describe('Oldest connection first') }),
    errors: [],
    examples: [{ title: 'One account', input: {}, output: { accounts: [exampleAccount] } }],
  }),

  'accounts.delete': action({
    kind: 'NeedsApproval',
    scope: 'accounts:manage',
    roles: admins,
    mcp: 'Listed',
    summary: 'Disconnect an account',
    description:
      'Disconnects the account and forgets its access. Posts already scheduled for it will fail for that account. A human approves it in the app.',
    input: z.strictObject({ id: Id.describe('Account to disconnect') }),
    output: Deleted,
    errors: ['NotFound'],
    destructive: true,
    approval: { subject: 'account', sentence: 'Disconnect this account', verb: 'Approve and disconnect' },
    examples: [
      { title: 'Disconnect', input: { id: exampleAccount.id }, output: { id: exampleAccount.id, deleted: true } },
    ],
  }),
};
