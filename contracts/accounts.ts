import { z } from 'zod';
import {
  action,
  appRoute,
  byId,
  CanonicalInstant,
  Deleted,
  Empty,
  Id,
  type RawRoute,
  type Route,
  rawRoute,
} from './define.ts';
import { Choice, NetworkKey, NetworkName, OptionKey, ProviderName } from './providers.ts';
import { admins, editors, everyone } from './scopes.ts';

export const AccountName = z.string().describe('Display name of the account on the network');
export const Handle = z.string().describe('User name on the network');

export const Account = z
  .object({
    id: z.string().describe('Account id, prefix `acct_`'),
    provider: ProviderName,
    network: NetworkKey,
    name: AccountName,
    handle: Handle,
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
    connectedAt: CanonicalInstant,
  })
  .meta({ id: 'Account', description: 'A connected account on a social network. Its tokens are never shown' });
export type Account = z.output<typeof Account>;

export const exampleAccount: Account = {
  id: 'acct_01JCQ2X7M8T9V0W1X2Y3Z4A5B6',
  provider: 'Bluesky',
  network: 'bluesky',
  name: 'Anna Example',
  handle: 'anna.bsky.social',
  status: 'Connected',
  statistics: 'Ok',
  connectedAt: '2026-11-02T08:15:00.000000Z',
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
      'Disconnects the account and deletes its tokens. Posts already scheduled for it will fail for that account. A human approves it in the app.',
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

export const ConnectionStep = z
  .object({
    next: z.string().describe('Address or path to open next: the page of the network, a choice, or the accounts'),
    accountIds: z.array(z.string()).optional().describe('The accounts that are connected now'),
  })
  .meta({ id: 'ConnectionStep', description: 'Where the person goes from here' });

const NetworkParam = z.strictObject({ network: NetworkName.min(1) });

export const accountRoutes = {
  getConnectForm: appRoute({
    method: 'GET',
    path: '/api/app/connect/:network',
    tag: 'Connections',
    summary: 'Read what a network asks for',
    description: 'The fields to fill in before the account is connected; none where the network asks on its own page.',
    roles: admins,
    params: NetworkParam,
    answer: z.object({
      network: NetworkKey,
      provider: ProviderName,
      sandbox: z.boolean().describe('True when the account will be on the built-in sandbox'),
      fields: z
        .array(
          z.object({
            name: z.string().describe('Key of the field in `values` of beginConnection'),
            label: z.string().describe('Name for humans'),
            hint: z.string().describe('What to fill in, and where to find it; may be empty'),
            secret: z.boolean().describe('Hide it while it is typed'),
            required: z.boolean().describe('False when it may stay empty'),
            placeholder: z.string().optional().describe('An example to show while it is empty'),
          }),
        )
        .describe('In the order in which to ask'),
    }),
    more: ['NotFound', 'Conflict'],
  }),

  finishConnection: appRoute({
    method: 'POST',
    path: '/api/app/connect/:network/finish',
    tag: 'Connections',
    summary: 'Return from a network',
    description: 'Takes the parameters with which the network sent the person back.',
    roles: admins,
    params: NetworkParam,
    body: z.strictObject({
      answer: z
        .record(z.string().max(100), z.string().max(4000))
        .describe('The parameters of that address by name, such as `code` and `state`'),
    }),
    answer: ConnectionStep,
    more: ['PlanLimit', 'NotFound', 'Conflict'],
  }),

  listChoices: appRoute({
    method: 'GET',
    path: '/api/app/connections/:id',
    tag: 'Connections',
    summary: 'List the accounts to choose from',
    description: 'The pages or places that the person can post to.',
    roles: admins,
    params: byId('Connection id, from the `next` of beginConnection or finishConnection'),
    answer: z.object({
      network: NetworkKey,
      provider: ProviderName,
      accounts: z
        .array(z.object({ id: z.string().describe("The network's own id"), name: AccountName, handle: Handle }))
        .describe('In the order of the network'),
    }),
    more: ['Conflict'],
  }),

  beginConnection: appRoute({
    method: 'POST',
    path: '/api/app/connections',
    tag: 'Connections',
    summary: 'Connect an account',
    description:
      'Begins to connect an account of a network, or renews the access of one. Open `next`: when the person comes back from the network, the account is connected.',
    roles: admins,
    body: z.strictObject({
      network: NetworkName,
      values: z
        .record(z.string().max(50), z.string().max(2000))
        .default({})
        .describe('Values of the fields that the network asks for: `server` where anybody can run one, else its own'),
    }),
    answer: ConnectionStep,
    more: ['PlanLimit', 'NotFound', 'Conflict'],
  }),

  chooseAccounts: appRoute({
    method: 'POST',
    path: '/api/app/connections/:id/choose',
    tag: 'Connections',
    summary: 'Choose accounts',
    description: 'Connects the chosen pages or places.',
    roles: admins,
    params: byId('Connection id, from the `next` of beginConnection or finishConnection'),
    body: z.strictObject({
      ids: z.array(z.string().max(300)).min(1).max(100).describe('Ids of the accounts to connect, from listChoices'),
    }),
    answer: ConnectionStep,
    more: ['PlanLimit', 'Conflict'],
  }),

  findChoices: appRoute({
    method: 'GET',
    path: '/api/app/accounts/:id/choices',
    tag: 'Connections',
    summary: 'Search a network for the value of an option',
    description:
      'What the network of the account has for these words: places, communities, collections. For options that are `searchable`.',
    roles: editors,
    params: byId('Account id, prefix `acct_`'),
    query: z.strictObject({
      option: OptionKey,
      words: z.string().trim().max(100).default('').describe('What to look for; some networks list everything without'),
    }),
    answer: z.object({
      choices: z.array(Choice).describe('At most 20, the best first'),
      problem: z.string().optional().describe('Why the network gave no list, and what to do'),
    }),
    more: ['NotFound'],
  }),
} as const satisfies Record<string, Route>;
export type AccountRoutes = typeof accountRoutes;

export const accountPaths = {
  avatarBytes: rawRoute({
    methods: ['GET', 'HEAD'],
    path: '/avatars/:id',
    access: 'Open',
    handler: 'Own',
    description: 'The picture of an account, from our own address.',
  }),
} as const satisfies Record<string, RawRoute>;
