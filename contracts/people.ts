import { z } from 'zod';
import {
  appRoute,
  byId,
  CanonicalInstant,
  Done,
  Empty,
  isPlainName,
  Name,
  Person,
  plainNameMessage,
  publicRoute,
  type RawRoute,
  RoleField,
  type Route,
  rawRoute,
} from './define.ts';
import { admins, everyone, publisherChoices } from './scopes.ts';

const Email = z.string().max(254).describe('E-mail address');
const Password = z.string().min(8).max(1024).describe('The password to set');
const InvitationToken = z.string().min(1).max(100).describe('What follows /invitations/ in the address');

export const Membership = z
  .object({
    id: z.string().describe('Workspace id, prefix `ws_`'),
    name: z.string().describe('What its members call it'),
    role: RoleField,
  })
  .meta({ id: 'Membership', description: 'A workspace and the role of the user in it' });

export const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export const PublishersField = z
  .enum(publisherChoices)
  .describe('editors: whoever may edit. approvers: owners, admins and named members; what others publish they request');

const Profile = z.object({
  name: z.string().describe('Shown to others; at first the local part of the e-mail address'),
  timeZone: z.string().describe('IANA name; empty until it is set, then the app asks the browser'),
  theme: z.enum(themes).describe('How the app looks; auto follows the computer'),
  shortcuts: z.boolean().describe('Whether shortcuts of a single key are on'),
});

const ProfileChange = z.strictObject({
  name: Name.optional().describe('Shown to others'),
  timeZone: z.string().max(100).optional().describe('IANA name, such as Europe/Berlin; empty removes it'),
  theme: Profile.shape.theme.optional(),
  shortcuts: Profile.shape.shortcuts.optional(),
});
export type ProfileChange = z.output<typeof ProfileChange>;

export const SessionRecord = z
  .object({
    user: Profile.extend({
      id: Person.shape.id,
      email: z.string().describe('What they sign in with'),
      operator: z.boolean().describe('True for the person who set Posthorn up, who may move the sandbox clock'),
      hasPassword: z
        .boolean()
        .describe('False for a person who signed in with a one-time link and has not set one yet'),
      asksPassword: z.boolean().describe('Whether changing the password asks for the present one'),
      hasFactor: z.boolean().describe('Whether they have a second factor: an authenticator app, or a passkey'),
      hasPasskey: z.boolean().describe('Whether they can confirm with a passkey'),
      mayMakeWorkspaces: z.boolean().describe('Whether NEW_WORKSPACES lets them create one'),
    }).describe('Who is signed in'),
    workspace: z
      .object({
        ...Membership.shape,
        statisticsTools: z.boolean().describe('Whether posts_metrics and analytics_summary are in tools/list'),
        publishers: PublishersField,
        twoFactors: z.boolean().describe('Whether it asks its members for a second factor'),
        lacksFactor: z
          .boolean()
          .describe('It asks for a second factor and you have none: all else here answers Forbidden until you do'),
        approvalPasskey: z.boolean().describe('Whether approving a request takes a passkey'),
        canPublish: z
          .boolean()
          .describe('Whether your own click publishes; without it an editor requests it, and a viewer cannot'),
        deletion: z
          .object({
            at: z.string().describe('ISO-8601 instant at which everything in it is removed'),
            askedBy: z.string().describe('Name of the owner who asked for it'),
          })
          .optional()
          .describe('While it waits to be deleted; nothing is published from it then'),
      })
      .optional()
      .describe('The workspace that is open in this browser; a new sign-in opens the last one'),
    workspaces: z.array(Membership).describe('Those to choose from; the oldest first'),
    liveFrom: z
      .string()
      .describe('Send it as `last` to GET /api/app/events, which then begins with what changed since this answer'),
  })
  .meta({ id: 'Session', description: 'Who is signed in, and where they are' });
export type SessionRecord = z.output<typeof SessionRecord>;

export const Member = z
  .object({
    userId: Person.shape.id,
    email: Email,
    name: Person.shape.name,
    role: RoleField,
    approver: z.boolean().describe('An editor who is named to publish and decide; owners and admins always do'),
    hasFactor: z.boolean().describe('Whether they have a second factor: an authenticator app, or a passkey'),
    joinedAt: CanonicalInstant,
  })
  .meta({ id: 'Member', description: 'A person in the workspace' });
export type Member = z.output<typeof Member>;

export const Invitation = z
  .object({
    id: z.string().describe('Invitation id, prefix `inv_`'),
    email: z.string().describe('E-mail address that it is for'),
    role: RoleField,
    createdAt: CanonicalInstant,
    expiresAt: CanonicalInstant,
  })
  .meta({ id: 'Invitation', description: 'An invitation that nobody has accepted yet' });
export type Invitation = z.output<typeof Invitation>;

const Entrance = z
  .object({
    empty: z.boolean().describe('There is no user yet: whoever signs up becomes the owner'),
    needsCode: z.boolean().describe('The first owner needs the code that Posthorn prints when it starts'),
    outside: z.boolean().describe('An outside identity provider signs people in; there are no passwords'),
    address: z.string().describe('Where people are expected to open Posthorn: BASE_URL'),
    mail: z.boolean().describe('A forgotten password can be reset by mail'),
    signedInAs: z.string().optional().describe('E-mail address of the person signed in with this browser'),
  })
  .meta({ id: 'Entrance', description: 'How people sign in' });

const OpenedInvitation = z
  .object({
    email: z.string().describe('Who is invited'),
    workspace: z.string().describe('Name of the workspace to join'),
    role: RoleField,
    isTheirs: z.boolean().describe('Whether the person signed in with this browser is the one who is invited'),
  })
  .meta({ id: 'OpenedInvitation', description: 'What an invitation is for. Says nothing about accounts' });

export const peopleRoutes = {
  readEntrance: publicRoute({
    method: 'GET',
    path: '/api/auth/entrance',
    tag: 'Session',
    summary: 'Read how people sign in',
    description: 'What the sign-in page has to ask for.',
    answer: Entrance,
  }),

  openInvitation: publicRoute({
    method: 'POST',
    path: '/api/auth/invitations/open',
    tag: 'Session',
    summary: 'Look at an invitation',
    description: 'Whom it is for and what they join. It can still be accepted after that.',
    body: z.strictObject({ token: InvitationToken }),
    answer: OpenedInvitation,
    more: ['NotFound'],
  }),

  enterByLink: publicRoute({
    method: 'POST',
    path: '/api/auth/links/use',
    tag: 'Session',
    summary: 'Sign in with a one-time link',
    description: 'Signs in with the secret of a link that the server printed, and uses it up.',
    body: z.strictObject({ secret: z.string().min(1).max(100).describe('What follows /welcome/ in the address') }),
    answer: SessionRecord,
    more: ['NotFound'],
  }),

  getSession: appRoute({
    method: 'GET',
    path: '/api/auth/session',
    tag: 'Session',
    summary: 'Read who is signed in',
    description: 'The user, the open workspace, and the workspaces to choose from.',
    answer: SessionRecord,
  }),

  signUp: publicRoute({
    method: 'POST',
    path: '/api/auth/sign-up',
    tag: 'Session',
    summary: 'Sign up',
    description:
      'Creates the first user and a workspace, while there is no user yet. Everybody else joins by invitation. In production it takes the code that Posthorn prints when it starts.',
    body: z.strictObject({
      email: Email,
      password: Password,
      workspace: Name.default('My workspace').describe('Name of the workspace to create'),
      code: z.string().trim().max(100).default('').describe('Of the first owner; in production only'),
    }),
    answer: SessionRecord,
  }),

  signIn: publicRoute({
    method: 'POST',
    path: '/api/auth/sign-in',
    tag: 'Session',
    summary: 'Sign in',
    description:
      'Sets the session cookie. After five wrong passwords in a row for an account from one network, each further try must wait longer: TooManyRequests with Retry-After.',
    body: z.strictObject({ email: Email, password: z.string().max(1024).describe('As it was set') }),
    answer: SessionRecord,
  }),

  signOut: appRoute({
    method: 'POST',
    path: '/api/auth/sign-out',
    tag: 'Session',
    summary: 'Sign out',
    description: 'Ends this session, also at the identity provider.',
    body: Empty,
    answer: Done,
  }),

  changePassword: appRoute({
    method: 'POST',
    path: '/api/auth/password',
    tag: 'Session',
    summary: 'Change the password',
    description: 'Ends all other sessions of the user and the access of MCP clients; personal tokens stay.',
    body: z.strictObject({
      current: z.string().max(1024).default('').describe('The current password; empty when none is set'),
      next: Password,
    }),
    answer: Done,
  }),

  forgotPassword: publicRoute({
    method: 'POST',
    path: '/api/auth/password/forgot',
    tag: 'Session',
    summary: 'Ask for a mail to set a new password',
    description:
      'The answer is the same whether or not somebody here has the address. The link in the mail works once, within an hour; an address gets at most three an hour. Forbidden when the operator has not set up mail.',
    body: z.strictObject({ email: Email }),
    answer: Done,
  }),

  resetPassword: publicRoute({
    method: 'POST',
    path: '/api/auth/password/reset',
    tag: 'Session',
    summary: 'Set a new password with the link of a mail',
    description:
      'Ends all sessions of the user, the access of MCP clients and, unless the request says otherwise, personal tokens. Signs in. A password that is refused leaves the link as it is.',
    body: z.strictObject({
      secret: z.string().min(1).max(100).describe('What follows /new-password/ in the address'),
      password: Password,
      endTokens: z.boolean().default(true).describe('Whether all personal tokens of the user end too'),
    }),
    answer: SessionRecord,
    more: ['NotFound'],
  }),

  acceptInvitation: publicRoute({
    method: 'POST',
    path: '/api/auth/invitations/accept',
    tag: 'Session',
    summary: 'Accept an invitation',
    description:
      'Joins the workspace. A new person chooses a password; a person with an account gives theirs; a person signed in with the invited address gives none. Signs in.',
    body: z.strictObject({
      token: InvitationToken,
      password: z
        .string()
        .max(1024)
        .default('')
        .describe('A new one, or that of the account; empty for a person who is signed in'),
      name: z
        .string()
        .trim()
        .max(100)
        .refine(isPlainName, plainNameMessage)
        .default('')
        .describe('Shown to others; one who has a name keeps it'),
    }),
    answer: SessionRecord,
    more: ['PlanLimit', 'NotFound'],
  }),

  changeProfile: appRoute({
    method: 'PATCH',
    path: '/api/app/profile',
    tag: 'Session',
    summary: 'Change your profile',
    description: 'Name, time zone, theme and shortcuts. Fields left out stay as they are.',
    body: ProfileChange,
    answer: SessionRecord,
  }),

  listMembers: appRoute({
    method: 'GET',
    path: '/api/app/members',
    tag: 'Members',
    summary: 'List members',
    description: 'Everybody in the open workspace, with their roles.',
    roles: everyone,
    answer: z.object({ members: z.array(Member).describe('In the order in which they joined') }),
  }),

  changeMember: appRoute({
    method: 'PATCH',
    path: '/api/app/members/:id',
    tag: 'Members',
    summary: 'Change a role, or name an approver',
    description:
      'Nobody gives or takes a role above their own, and the last owner stays one. Only an editor is named as approver, and another role ends it.',
    roles: admins,
    params: byId('User id of the member'),
    body: z.strictObject({
      role: RoleField.optional(),
      approver: z.boolean().optional().describe('Whether this editor publishes and decides where only approvers do'),
    }),
    answer: Member,
    more: ['NotFound', 'Conflict'],
  }),

  removeMember: appRoute({
    method: 'DELETE',
    path: '/api/app/members/:id',
    tag: 'Members',
    summary: 'Remove a member, or leave',
    description: 'Their tokens for this workspace stop working. Anybody except the last owner can remove themselves.',
    roles: everyone,
    params: byId('User id of the member'),
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
    answer: z.object({
      invitations: z
        .array(Invitation)
        .describe('The newest first, at most 200, with those that expired within the last 30 days'),
    }),
  }),

  invite: appRoute({
    method: 'POST',
    path: '/api/app/invitations',
    tag: 'Members',
    summary: 'Invite somebody',
    description:
      'Returns a link to pass on, and mails it where mail is set up. It works once, within 7 days, for this e-mail address.',
    roles: admins,
    body: z.strictObject({ email: Email, role: RoleField }),
    idempotent: {
      onRepeat:
        'This invitation exists already, and its address is shown only once. If they get no mail, withdraw it and invite them again.',
    },
    answer: Invitation.extend({
      url: z.string().describe('Address to pass on; shown only this once'),
      mailed: z.boolean().describe('Whether it is also mailed; an address is mailed at most five invitations an hour'),
    }).meta({ id: 'NewInvitation', description: 'An invitation with its address' }),
    more: ['Conflict'],
  }),

  withdrawInvitation: appRoute({
    method: 'DELETE',
    path: '/api/app/invitations/:id',
    tag: 'Members',
    summary: 'Withdraw an invitation',
    description: 'Its address stops working.',
    roles: admins,
    params: byId('Invitation id'),
    answer: Done,
    more: ['NotFound'],
  }),
} as const satisfies Record<string, Route>;
export type PeopleRoutes = typeof peopleRoutes;

/** The way to an outside identity provider and back. */
export const signInPaths = {
  beginSignIn: rawRoute({
    methods: ['GET'],
    path: '/sign-in/begin',
    access: 'Open',
    handler: 'Own',
    description: 'Leads to the outside identity provider.',
  }),

  finishSignIn: rawRoute({
    methods: ['GET'],
    path: '/sign-in/callback',
    access: 'Open',
    handler: 'Own',
    description: 'Where the outside identity provider leads back to.',
  }),
} as const satisfies Record<string, RawRoute>;
