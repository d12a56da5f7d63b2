import { z } from 'zod';
import { Account } from './accounts.ts';
import { Metrics } from './analytics.ts';
import { Id, type Route, type RouteResponse, route } from './define.ts';
import { type ErrorCode, Issue } from './errors.ts';
import { AltText, MediaForm, MediaFromUrl, MediaItem } from './media.ts';
import { Post } from './posts.ts';
import { admins, editors, everyone, roles } from './scopes.ts';
import { ChosenEvents, Delivery, NewWebhook, Webhook, WebhookUrl } from './webhooks.ts';

export const CatalogEntry = z
  .object({
    name: z.string().describe('Dotted name of the action'),
    description: z.string(),
    policy: z.enum(['Allowed', 'NeedsApproval']).describe('NeedsApproval: a human has to approve it in the app'),
    inputSchema: z.record(z.string(), z.unknown()).describe('JSON Schema of the input'),
  })
  .meta({ id: 'CatalogEntry' });
export type CatalogEntry = z.output<typeof CatalogEntry>;

/** Paths for programs that are not actions. */
export const routes = {
  catalog: route({
    method: 'GET',
    path: '/api/agent/tools',
    tag: 'Catalog',
    summary: 'List the actions',
    description: 'Every action with its description, policy and input schema.',
    access: 'PersonalToken',
    responses: {
      200: { description: 'The actions', contentType: 'application/json', body: z.array(CatalogEntry) },
    },
    errors: ['Unauthorized', 'TooManyRequests', 'Internal'],
  }),
  alive: route({
    method: 'GET',
    path: '/healthz',
    tag: 'Health',
    summary: 'Is the process running?',
    description: 'Answers the text `ok` while the process runs.',
    access: 'Public',
    responses: { 200: { description: 'It runs', contentType: 'text/plain', body: z.literal('ok') } },
    errors: ['BadInput'],
  }),
  ready: route({
    method: 'GET',
    path: '/readyz',
    tag: 'Health',
    summary: 'Can it serve?',
    description: 'Answers 200 only when the database responds and the instance is not shutting down.',
    access: 'Public',
    responses: {
      200: { description: 'It can', contentType: 'text/plain', body: z.literal('ready') },
      503: { description: 'Not now; the text says why', contentType: 'text/plain', body: z.string() },
    },
    errors: ['BadInput'],
  }),
};

type Declared = Omit<Route, 'access' | 'responses' | 'errors'>;

/** One JSON answer, and the errors that every path of the app can give. */
const withAccess =
  <const Access extends Route['access']>(access: Access) =>
  <const R extends Declared, A extends z.ZodType>(
    declaration: R & { answer: A; more?: readonly ErrorCode[] },
  ): R & { access: Access; responses: { 200: RouteResponse & { body: A } }; errors: readonly ErrorCode[] } => ({
    ...declaration,
    access,
    responses: { 200: { description: 'Done', contentType: 'application/json', body: declaration.answer } },
    errors: ['BadInput', 'Unauthorized', 'Forbidden', ...(declaration.more ?? []), 'TooManyRequests', 'Internal'],
  });

/** A session cookie, never a token. */
const appRoute = withAccess('Session');
/** A session cookie, or a personal token. */
const mediaRoute = withAccess('SessionOrToken');
/** For those who come to sign in. */
const publicRoute = withAccess('Public');

const Email = z.string().max(254).describe('E-mail address');
const Password = z.string().min(8).max(1024);
const RoleField = z.enum(roles).describe('owner, admin, editor or viewer');
const Name = z.string().trim().min(1).max(100);
const ById = z.strictObject({ id: Id });
const NoBody = z.strictObject({});
const Done = z.object({ done: z.literal(true) }).meta({ id: 'Done' });

const Membership = z
  .object({ id: z.string().describe('Workspace id'), name: z.string(), role: RoleField })
  .meta({ id: 'Membership', description: 'A workspace and the role of the user in it' });

export const SessionRecord = z
  .object({
    user: z.object({
      id: z.string(),
      email: z.string(),
      hasPassword: z.boolean().describe('False for somebody who came by a one-time link and has set none yet'),
    }),
    workspace: z
      .object({
        id: z.string(),
        name: z.string(),
        role: RoleField,
        statisticsTools: z.boolean().describe('Whether posts_metrics and analytics_summary are in tools/list'),
      })
      .optional()
      .describe('The workspace that is open; the last one opened is remembered'),
    workspaces: z.array(Membership),
  })
  .meta({ id: 'Session', description: 'Who is signed in, and where they are' });
export type SessionRecord = z.output<typeof SessionRecord>;

export const Token = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: z.string().describe('ISO-8601 instant'),
    lastUsedAt: z.string().optional().describe('ISO-8601 instant, to the minute'),
  })
  .meta({ id: 'Token', description: 'A personal API token. Its secret is never listed' });

export const Member = z
  .object({ userId: z.string(), email: z.string(), role: RoleField, joinedAt: z.string().describe('ISO-8601 instant') })
  .meta({ id: 'Member' });
export type Member = z.output<typeof Member>;

export const Invitation = z
  .object({
    id: z.string(),
    email: z.string(),
    role: RoleField,
    createdAt: z.string().describe('ISO-8601 instant'),
    expiresAt: z.string().describe('ISO-8601 instant'),
  })
  .meta({ id: 'Invitation' });
export type Invitation = z.output<typeof Invitation>;

export const AuditEntry = z
  .object({
    id: z.string(),
    event: z.string().describe('What happened, such as `approval.approved` or `token.created`'),
    userId: z.string().optional().describe('Who did it'),
    client: z.string().optional().describe('The MCP client it came from'),
    details: z.record(z.string(), z.unknown()),
    createdAt: z.string().describe('ISO-8601 instant'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof AuditEntry>;

export const cardStatuses = ['Open', 'Approved', 'Rejected', 'Outdated', 'Expired'] as const;
export type CardStatus = (typeof cardStatuses)[number];

export const ApprovalCard = z
  .object({
    id: z.string().describe('Card id, prefix `card_`'),
    status: z
      .enum(cardStatuses)
      .describe('Outdated: the post changed after the request. Expired: nobody decided within 7 days'),
    conversation: z.object({ id: z.string(), title: z.string().describe('`Requests from <client>`') }),
    client: z.string().describe('Name of the client that asked'),
    action: z.string().describe('Dotted name of the action that waits'),
    input: z.record(z.string(), z.unknown()).describe('What it will be called with'),
    sentence: z
      .string()
      .describe(
        'What a person decides, such as `Publish this post now`; also what stays public when a post is deleted',
      ),
    verb: z.string().describe('For the button that approves, such as `Approve and publish`'),
    requestedBy: z.string().describe('User whose agent asked'),
    requestedByName: z.string().describe('Their e-mail address'),
    post: Post.optional().describe('The post as it was at the request; approving is for this content only'),
    media: z
      .array(MediaItem)
      .describe('The files of the post with their alternative texts, as they were at the request'),
    account: Account.optional().describe('The account it is about'),
    accounts: z.array(Account).describe('The accounts the post goes to'),
    validation: z
      .object({ issues: z.array(Issue), warnings: z.array(Issue) })
      .optional()
      .describe('The post against the limits of its networks, as of now; not in lists'),
    scheduledPosts: z
      .array(
        z.object({
          id: z.string(),
          text: z.string().describe('Its first words'),
          scheduledAt: z.string().describe('ISO-8601 instant'),
        }),
      )
      .optional()
      .describe('With `account`: up to 100 scheduled posts that would fail for it, the next first; not in lists'),
    createdAt: z.string().describe('ISO-8601 instant'),
    expiresAt: z.string().describe('ISO-8601 instant'),
    decidedAt: z.string().optional().describe('ISO-8601 instant'),
    decidedBy: z.string().optional().describe('User who approved or rejected'),
    decidedByName: z.string().optional().describe('Their e-mail address'),
  })
  .meta({ id: 'ApprovalCard', description: 'A request of an agent that waits for a human' });
export type ApprovalCard = z.output<typeof ApprovalCard>;

export const ConnectionStep = z
  .object({
    next: z.string().describe('Address or path to open next: the page of the network, a choice, or the accounts'),
    accountIds: z.array(z.string()).optional().describe('The accounts that are connected now'),
  })
  .meta({ id: 'ConnectionStep' });

const Limit = z.int().nullable();
export const PlanRecord = z
  .object({
    key: z.string().describe('unlimited, free, team or business; the operator sets it'),
    name: z.string(),
    paidNetworks: z.boolean().describe('Whether networks that ask money for every post are part of it'),
    accounts: Limit.describe('Connected accounts; null is without limit'),
    scheduledPerMonth: Limit.describe('Posts scheduled in a month'),
    paidPostsPerMonth: Limit.describe('Posts in a month on networks that ask money for every post'),
    webhooks: z.int(),
    members: Limit,
    used: z.object({ scheduled: z.int(), paidPosts: z.int() }).describe('Of this month (UTC)'),
  })
  .meta({ id: 'Plan', description: 'What the workspace may do, and what it has used of it' });

export const appRoutes = {
  getSession: appRoute({
    method: 'GET',
    path: '/api/auth/session',
    tag: 'Session',
    summary: 'Who is signed in?',
    description: 'The user, the open workspace, and the workspaces to choose from.',
    answer: SessionRecord,
  }),
  signUp: publicRoute({
    method: 'POST',
    path: '/api/auth/sign-up',
    tag: 'Session',
    summary: 'Sign up',
    description:
      'Makes the first user and a workspace; possible while nobody is there, later people join by invitation.',
    body: z.strictObject({ email: Email, password: Password, workspace: Name.default('My workspace') }),
    answer: SessionRecord,
  }),
  signIn: publicRoute({
    method: 'POST',
    path: '/api/auth/sign-in',
    tag: 'Session',
    summary: 'Sign in',
    description: 'Sets the session cookie.',
    body: z.strictObject({ email: Email, password: z.string().max(1024) }),
    answer: SessionRecord,
  }),
  signOut: appRoute({
    method: 'POST',
    path: '/api/auth/sign-out',
    tag: 'Session',
    summary: 'Sign out',
    description: 'Ends this session, also at the identity provider.',
    body: NoBody,
    answer: Done,
  }),
  changePassword: appRoute({
    method: 'POST',
    path: '/api/auth/password',
    tag: 'Session',
    summary: 'Change the password',
    description: 'Ends all other sessions of the user and the access of MCP clients; personal tokens stay.',
    body: z.strictObject({
      current: z.string().max(1024).default('').describe('The present password; empty when none is set'),
      next: Password,
    }),
    answer: Done,
  }),
  acceptInvitation: publicRoute({
    method: 'POST',
    path: '/api/auth/invitations/accept',
    tag: 'Session',
    summary: 'Accept an invitation',
    description:
      'Joins the workspace. Somebody new chooses a password; somebody who has an account gives theirs. Signs in.',
    body: z.strictObject({ token: z.string().min(1).max(100), password: z.string().max(1024) }),
    answer: SessionRecord,
    more: ['NotFound'],
  }),
  listTokens: appRoute({
    method: 'GET',
    path: '/api/auth/tokens',
    tag: 'Tokens',
    summary: 'List your tokens',
    description: 'Your personal tokens in the open workspace. The secrets are never listed.',
    roles: everyone,
    answer: z.array(Token),
  }),
  createToken: appRoute({
    method: 'POST',
    path: '/api/auth/tokens',
    tag: 'Tokens',
    summary: 'Make a token',
    description: 'A personal token that acts as you in the open workspace. `token` is shown only this once.',
    roles: everyone,
    body: z.strictObject({ name: Name.describe('What it is for') }),
    answer: Token.extend({ token: z.string().describe('The secret; keep it now') }).meta({ id: 'NewToken' }),
  }),
  revokeToken: appRoute({
    method: 'DELETE',
    path: '/api/auth/tokens/:id',
    tag: 'Tokens',
    summary: 'Revoke a token',
    description: 'It stops working at once.',
    roles: everyone,
    params: ById,
    answer: Done,
    more: ['NotFound'],
  }),
  createWorkspace: appRoute({
    method: 'POST',
    path: '/api/app/workspaces',
    tag: 'Workspaces',
    summary: 'Make a workspace',
    description: 'You are its owner, and it is open then.',
    body: z.strictObject({ name: Name }),
    answer: SessionRecord,
  }),
  openWorkspace: appRoute({
    method: 'POST',
    path: '/api/app/workspaces/:id/open',
    tag: 'Workspaces',
    summary: 'Switch to a workspace',
    description: 'MCP clients signed in as you act in the workspace you opened last.',
    params: ById,
    body: NoBody,
    answer: SessionRecord,
    more: ['NotFound'],
  }),
  changeWorkspace: appRoute({
    method: 'PATCH',
    path: '/api/app/workspace',
    tag: 'Workspaces',
    summary: 'Change the open workspace',
    description: 'Its name, and whether agents see the two statistics tools.',
    roles: ['owner'],
    body: z.strictObject({ name: Name.optional(), statisticsTools: z.boolean().optional() }),
    answer: SessionRecord,
  }),
  listMembers: appRoute({
    method: 'GET',
    path: '/api/app/members',
    tag: 'Members',
    summary: 'List members',
    description: 'Everybody in the open workspace.',
    roles: everyone,
    answer: z.object({ members: z.array(Member) }),
  }),
  changeMember: appRoute({
    method: 'PATCH',
    path: '/api/app/members/:id',
    tag: 'Members',
    summary: 'Change a role',
    description: 'Nobody gives or takes a role above their own, and the last owner stays one.',
    roles: admins,
    params: ById,
    body: z.strictObject({ role: RoleField }),
    answer: Member,
    more: ['NotFound', 'Conflict'],
  }),
  removeMember: appRoute({
    method: 'DELETE',
    path: '/api/app/members/:id',
    tag: 'Members',
    summary: 'Remove a member, or leave',
    description: 'Their tokens for this workspace stop working. Anybody can remove themselves but the last owner.',
    roles: everyone,
    params: ById,
    answer: Done,
    more: ['NotFound', 'Conflict'],
  }),
  listInvitations: appRoute({
    method: 'GET',
    path: '/api/app/invitations',
    tag: 'Members',
    summary: 'List open invitations',
    description: 'Those that nobody has accepted yet.',
    roles: admins,
    answer: z.object({ invitations: z.array(Invitation) }),
  }),
  invite: appRoute({
    method: 'POST',
    path: '/api/app/invitations',
    tag: 'Members',
    summary: 'Invite somebody',
    description: 'Gives an address to pass on; it works once, within 7 days, for this e-mail address.',
    roles: admins,
    body: z.strictObject({ email: Email, role: RoleField }),
    answer: Invitation.extend({ url: z.string().describe('Shown only this once') }).meta({ id: 'NewInvitation' }),
    more: ['Conflict'],
  }),
  withdrawInvitation: appRoute({
    method: 'DELETE',
    path: '/api/app/invitations/:id',
    tag: 'Members',
    summary: 'Withdraw an invitation',
    description: 'Its address stops working.',
    roles: admins,
    params: ById,
    answer: Done,
    more: ['NotFound'],
  }),
  listAudit: appRoute({
    method: 'GET',
    path: '/api/app/audit',
    tag: 'Audit',
    summary: 'Read the audit log',
    description: 'The last 200 entries of the open workspace, newest first.',
    roles: admins,
    answer: z.object({ entries: z.array(AuditEntry) }),
  }),
  listApprovals: appRoute({
    method: 'GET',
    path: '/api/approvals',
    tag: 'Approvals',
    summary: 'List approval cards',
    description:
      'The requests of agents in the open workspace, a page at a time: the open ones first, then those that were decided, newest first.',
    roles: everyone,
    query: z.strictObject({
      status: z.enum(cardStatuses).optional().describe('Only cards with this status'),
      cursor: z.string().max(200).optional().describe('nextCursor of the page before'),
    }),
    answer: z.object({
      cards: z.array(ApprovalCard),
      nextCursor: z.string().optional().describe('Present when there are more; send it as cursor'),
    }),
  }),
  getApproval: appRoute({
    method: 'GET',
    path: '/api/approvals/:id',
    tag: 'Approvals',
    summary: 'Read one card',
    description: 'What an agent asks for, with the post as it was at the request and its validation.',
    roles: everyone,
    params: ById,
    answer: ApprovalCard,
    more: ['NotFound'],
  }),
  approve: appRoute({
    method: 'POST',
    path: '/api/approvals/:id/approve',
    tag: 'Approvals',
    summary: 'Approve',
    description:
      'Runs the action as you, after checking state, role and limits again. Conflict when the post changed since the request, or when it was decided already.',
    roles: editors,
    params: ById,
    body: NoBody,
    answer: ApprovalCard,
    more: ['Invalid', 'PlanLimit', 'NotFound', 'Conflict'],
  }),
  reject: appRoute({
    method: 'POST',
    path: '/api/approvals/:id/reject',
    tag: 'Approvals',
    summary: 'Reject',
    description: 'Nothing runs.',
    roles: editors,
    params: ById,
    body: NoBody,
    answer: ApprovalCard,
    more: ['NotFound', 'Conflict'],
  }),
  beginConnection: appRoute({
    method: 'POST',
    path: '/api/app/connections',
    tag: 'Connections',
    summary: 'Connect an account',
    description:
      'Begins to connect an account of a network, or gives an account that needs it new access. Open `next`; somebody who comes back from the network finds the account connected.',
    roles: admins,
    body: z.strictObject({
      network: z.string().max(50).describe('Key of the network, see providers.list'),
      values: z
        .record(z.string().max(50), z.string().max(2000))
        .default({})
        .describe('What the page of the network asks for: `server` where everybody can run one, else its own fields'),
    }),
    answer: ConnectionStep,
    more: ['PlanLimit', 'NotFound', 'Conflict'],
  }),
  chooseAccounts: appRoute({
    method: 'POST',
    path: '/api/app/connections/:id/choose',
    tag: 'Connections',
    summary: 'Choose accounts',
    description: 'Of the pages or places that the person can post to, those that are connected.',
    roles: admins,
    params: ById,
    body: z.strictObject({ ids: z.array(z.string().max(300)).min(1).max(100) }),
    answer: ConnectionStep,
    more: ['PlanLimit', 'Conflict'],
  }),
  unschedule: appRoute({
    method: 'POST',
    path: '/api/app/posts/:id/unschedule',
    tag: 'posts',
    summary: 'Take a scheduled post back',
    description: 'It is a Draft again; its time stays as a wish.',
    roles: editors,
    params: ById,
    body: NoBody,
    answer: Post,
    more: ['NotFound', 'Conflict'],
  }),
  publishAgain: appRoute({
    method: 'POST',
    path: '/api/app/posts/:id/publish-again',
    tag: 'posts',
    summary: 'Publish again despite doubt',
    description:
      'Publishes a Failed post again, also to accounts whose result is `uncertain` and where you looked and did not find it. Without this, an uncertain account gets the post only when its network says that it is not there.',
    roles: editors,
    params: ById,
    body: z.strictObject({ accountIds: z.array(Id).min(1).max(100).describe('The uncertain accounts you looked at') }),
    answer: Post,
    more: ['Invalid', 'PlanLimit', 'NotFound', 'Conflict'],
  }),
  getHistory: appRoute({
    method: 'GET',
    path: '/api/app/posts/:id/history',
    tag: 'posts',
    summary: 'Read how the numbers of a post grew',
    description: 'Every read of its numbers, per account, oldest first.',
    roles: everyone,
    params: ById,
    answer: z.object({
      postId: z.string(),
      accounts: z.array(
        z.object({ accountId: z.string(), provider: z.string(), reads: z.array(Metrics.omit({ error: true })) }),
      ),
    }),
    more: ['NotFound'],
  }),
  getPlan: appRoute({
    method: 'GET',
    path: '/api/app/plan',
    tag: 'Workspaces',
    summary: 'Read the plan',
    description: 'What the open workspace may do, and what it has used of it this month.',
    roles: everyone,
    answer: PlanRecord,
  }),
  readSandboxClock: appRoute({
    method: 'GET',
    path: '/api/app/sandbox/clock',
    tag: 'Sandbox',
    summary: 'Read the clock',
    description: 'The time that Posthorn goes by. Outside production it can be ahead of the true one.',
    roles: everyone,
    answer: z.object({ now: z.string().describe('ISO-8601 instant') }),
  }),
  moveSandboxClock: appRoute({
    method: 'POST',
    path: '/api/app/sandbox/clock',
    tag: 'Sandbox',
    summary: 'Move the clock forward',
    description:
      'For the whole deployment, forward only, and not in production: what is due in thirty days can be watched in a minute.',
    roles: ['owner'],
    body: z.strictObject({ forwardMs: z.coerce.number<number | string>().int().min(1) }),
    answer: z.object({ now: z.string().describe('ISO-8601 instant') }),
  }),
  planSandboxFault: appRoute({
    method: 'POST',
    path: '/api/app/sandbox/faults',
    tag: 'Sandbox',
    summary: 'Let a sandbox network misbehave',
    description: 'The next calls of one kind go wrong in a chosen way. Not in production.',
    roles: admins,
    body: z.strictObject({
      network: z.string().max(50),
      moment: z
        .enum(['upload', 'publish', 'read'])
        .describe('While media come in, when a post is sent, when numbers are read'),
      fault: z.string().max(50).describe('Such as `429`, `lost` or `expired-token`; empty takes it back'),
      times: z.coerce.number<number | string>().int().min(1).max(1000).default(1),
    }),
    answer: Done,
    more: ['NotFound'],
  }),
  listWebhooks: appRoute({
    method: 'GET',
    path: '/api/webhooks',
    tag: 'Webhooks',
    summary: 'List webhooks',
    description: 'Those of the open workspace, oldest first, without their secrets.',
    roles: admins,
    answer: z.object({ webhooks: z.array(Webhook) }),
  }),
  addWebhook: appRoute({
    method: 'POST',
    path: '/api/webhooks',
    tag: 'Webhooks',
    summary: 'Add a webhook',
    description:
      'At most 10 in a workspace (Conflict), or as many as the plan covers (PlanLimit). `secret` is shown only this once.',
    roles: admins,
    body: z.strictObject({ url: WebhookUrl, events: ChosenEvents }),
    answer: NewWebhook,
    more: ['PlanLimit', 'Conflict'],
  }),
  getWebhook: appRoute({
    method: 'GET',
    path: '/api/webhooks/:id',
    tag: 'Webhooks',
    summary: 'Read one webhook',
    description: 'Its address, its events, and whether it is paused and why.',
    roles: admins,
    params: ById,
    answer: Webhook,
    more: ['NotFound'],
  }),
  changeWebhook: appRoute({
    method: 'PATCH',
    path: '/api/webhooks/:id',
    tag: 'Webhooks',
    summary: 'Change a webhook',
    description: 'Its address or its events. What waits for its next try goes to the new address.',
    roles: admins,
    params: ById,
    body: z.strictObject({ url: WebhookUrl.optional(), events: ChosenEvents.optional() }),
    answer: Webhook,
    more: ['NotFound'],
  }),
  deleteWebhook: appRoute({
    method: 'DELETE',
    path: '/api/webhooks/:id',
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    description: 'With its delivery log; what waits is not sent.',
    roles: admins,
    params: ById,
    answer: Done,
    more: ['NotFound'],
  }),
  testWebhook: appRoute({
    method: 'POST',
    path: '/api/webhooks/:id/test',
    tag: 'Webhooks',
    summary: 'Send a test',
    description: 'A `ping` to this webhook alone. Conflict while it is paused.',
    roles: admins,
    params: ById,
    body: NoBody,
    answer: Delivery,
    more: ['NotFound', 'Conflict'],
  }),
  resumeWebhook: appRoute({
    method: 'POST',
    path: '/api/webhooks/:id/resume',
    tag: 'Webhooks',
    summary: 'Resume a paused webhook',
    description:
      'It is told of what happens from now on. A webhook is paused after 10 deliveries in a row were given up, and when its receiver answers 410.',
    roles: admins,
    params: ById,
    body: NoBody,
    answer: Webhook,
    more: ['NotFound'],
  }),
  rotateWebhookSecret: appRoute({
    method: 'POST',
    path: '/api/webhooks/:id/rotate-secret',
    tag: 'Webhooks',
    summary: 'Make a new signing secret',
    description:
      'Shown only this once. For 24 hours deliveries are signed with both, so that no receiver misses one; rotating again within them ends the older secret at once.',
    roles: admins,
    params: ById,
    body: NoBody,
    answer: NewWebhook,
    more: ['NotFound'],
  }),
  listDeliveries: appRoute({
    method: 'GET',
    path: '/api/webhooks/:id/deliveries',
    tag: 'Webhooks',
    summary: 'Read the delivery log',
    description: 'The last 50 deliveries of the last 30 days, newest first.',
    roles: admins,
    params: ById,
    answer: z.object({ deliveries: z.array(Delivery) }),
    more: ['NotFound'],
  }),
  resendDelivery: appRoute({
    method: 'POST',
    path: '/api/webhooks/:id/deliveries/:deliveryId/resend',
    tag: 'Webhooks',
    summary: 'Send again',
    description:
      'Queues the delivery afresh from the first attempt, under the same id. Conflict while it is being sent or the webhook is paused.',
    roles: admins,
    params: z.strictObject({ id: Id, deliveryId: Id }),
    body: NoBody,
    answer: Delivery,
    more: ['NotFound', 'Conflict'],
  }),
  uploadMedia: mediaRoute({
    method: 'POST',
    path: '/api/media',
    tag: 'media',
    summary: 'Add a file to the media library',
    description:
      'A file as multipart/form-data, or as JSON the address of one. Its content decides what it is: a JPEG, PNG, GIF, WebP or AVIF image, or an MP4, MOV or WebM video. Metadata such as the place where a photo was taken is removed. Anybody who knows the `url` of the answer can read the file.',
    roles: editors,
    body: MediaFromUrl,
    form: MediaForm,
    answer: MediaItem,
  }),
  changeMedia: appRoute({
    method: 'PATCH',
    path: '/api/media/:id',
    tag: 'media',
    summary: 'Change the alternative text',
    description:
      'Posts that are not out yet, scheduled ones too, go out with the new text. Requests of agents about such posts become outdated. Not for tokens: they only add files.',
    roles: editors,
    params: ById,
    body: z.strictObject({ alt: AltText }),
    answer: MediaItem,
    more: ['NotFound'],
  }),
  deleteMedia: appRoute({
    method: 'DELETE',
    path: '/api/media/:id',
    tag: 'media',
    summary: 'Delete a file',
    description: 'Conflict while a post uses it.',
    roles: editors,
    params: ById,
    answer: z.object({ id: z.string(), deleted: z.literal(true) }),
    more: ['NotFound', 'Conflict'],
  }),
} as const satisfies Record<string, Route>;

export type AppRoutes = typeof appRoutes;
