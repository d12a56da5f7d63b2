import { z } from 'zod';

/** SPEC, Errors: the eleven codes. Clients branch on the code; the status follows from it. */
export const errors = {
  BadInput: {
    status: 400,
    meaning:
      'The input does not match the schema, a range is malformed, or the body is too large or no JSON. `message` names the first field at fault.',
  },
  Invalid: {
    status: 400,
    meaning: 'The post breaks limits of a network it goes to. `issues` holds one entry per broken limit.',
  },
  Unauthorized: {
    status: 401,
    meaning: 'The token is missing, wrong or revoked.',
  },
  PlanLimit: {
    status: 402,
    meaning:
      'The plan of the workspace does not cover this, or its monthly allowance is used up. `message` says which and what lifts it. Retrying does not help.',
  },
  ApprovalRequired: {
    status: 403,
    meaning: 'A human has to do or approve this in the app. Do not retry.',
  },
  Forbidden: {
    status: 403,
    meaning: 'The role of the user, or the kind of token, does not allow it.',
  },
  NotFound: {
    status: 404,
    meaning: 'Nothing with this id exists in the workspace, or the path does not exist.',
  },
  UnknownAction: {
    status: 404,
    meaning: 'There is no action of this name. `GET /api/agent/tools` lists them.',
  },
  Conflict: {
    status: 409,
    meaning: 'The post changed state (for example already published), or baseUpdatedAt is stale. Read it again.',
  },
  TooManyRequests: {
    status: 429,
    meaning: 'Too many requests. Wait for the seconds in `Retry-After`, then try again.',
  },
  Internal: {
    status: 500,
    meaning:
      'A fault of the server; with status 503, it is stopping, being restored, or its database is away. Try again later and quote `x-request-id`.',
  },
} as const;

export type ErrorCode = keyof typeof errors;

/** Every action can answer with these; a declaration lists only what comes on top. */
export const commonErrors = ['BadInput', 'Unauthorized', 'Forbidden', 'TooManyRequests', 'Internal'] as const;

/** What can be wrong with an input, a file or a post. */
export const issueCodes = [
  'BadFormat',
  'TooBig',
  'TooSmall',
  'TooDeep',
  'TooLong',
  'Required',
  'UnknownField',
  'UnknownValue',
  'WrongType',
  'BadText',
  'BadRange',
  'Incomplete',
  'Invalid',
  'Repeated',
  'UnknownAccount',
  'UnknownMedia',
  'UnknownOption',
  'UnknownTimeZone',
  'OptionValue',
  'OptionNotAllowed',
  'OptionRequired',
  'OptionTooLong',
  'OptionUnused',
  'PollChoices',
  'PollChoiceTooLong',
  'PollDuration',
  'NotInFuture',
  'NoAccounts',
  'AccountGone',
  'Empty',
  'TextRequired',
  'TextLeftOut',
  'Draft',
  'Declaration',
  'MayBeRefused',
  'TooManyBytes',
  'TooManyLinks',
  'TooManyCashtags',
  'ManyHashtags',
  'ThreadTooLong',
  'TooManyMedia',
  'MixedMedia',
  'MediaRequired',
  'MediaKind',
  'MediaType',
  'MediaTooLarge',
  'MediaTooSmall',
  'VideoTooLarge',
  'VideoTooLong',
  'VideoTooShort',
  'VideoCodec',
  'AudioCodec',
  'FrameRate',
  'BadCharacter',
  'MediaRatio',
  'MediaNotPublic',
  'MediaGone',
  'MediaFitted',
  'MediaFitting',
  'AltTooLong',
  'BadUrl',
  'NeedsApproval',
  'Asked',
  // Of the app's own paths
  'BadServer',
  'UnknownLabel',
  'UnknownPost',
  'Unreadable',
  'BadAddress',
  'BadStep',
  'WrongColumns',
  'BadZone',
  'NewerVersion',
  'UnknownFormat',
  'WrongName',
  'Yourself',
  'WrongPassword',
  'ConfirmAgain',
  'PasskeyRequired',
  'PasskeyRefused',
  'SecondFactor',
  'FactorMissing',
  'SignInAgain',
  'WrongCode',
  'NeedsCode',
  'NoAddress',
  'NotInvited',
] as const;
export type IssueCode = (typeof issueCodes)[number];

export const IssueCode = z
  .enum(issueCodes)
  .meta({ id: 'IssueCode', description: 'Stable name of the problem, for programs. New ones may be added' });

export const Issue = z
  .object({
    path: z.string().describe('Where the problem is, as a dotted path: `versions.0.content.1.body`'),
    code: IssueCode,
    message: z.string().describe('A sentence for humans that says what to do'),
    accountId: z.string().optional().describe('The account whose limit is broken'),
    provider: z.string().optional().describe('Display name of the network whose limit is broken'),
    limit: z.union([z.number(), z.string()]).optional().describe('What the network allows'),
    actual: z.union([z.number(), z.string()]).optional().describe('What the post has'),
    fix: z
      .object({
        key: z.string().describe('Key of the option'),
        values: z.array(z.string()).describe('Values that fix it'),
      })
      .optional()
      .describe('An option that fixes it (posts.setOption), and the values that do'),
    url: z.string().optional().describe('Page of the app where a human can do it'),
  })
  .meta({ id: 'Issue', description: 'One problem in an input or a post' });
export type Issue = z.output<typeof Issue>;

export interface ErrorBody {
  code: ErrorCode;
  message: string;
  issues: Issue[];
}

const at = 'http://localhost:3000';
const post = 'post_01JCQ4B2C3D4E5F6G7H8J9K0M1';

/** An answer of each code, for readers of the OpenAPI document. */
export const errorExamples: Readonly<Record<ErrorCode, Omit<ErrorBody, 'code'>>> = {
  BadInput: {
    message: 'id is required',
    issues: [{ path: 'id', code: 'Required', message: 'is required' }],
  },
  Invalid: {
    message: 'The post breaks limits of the networks it goes to. Change it, then try again.',
    issues: [
      {
        path: 'versions.0.content.0.body',
        code: 'TooLong',
        message: 'is 281 characters long, X allows 280. Shorten it.',
        accountId: 'acct_01JCQ2X7M8T9V0W1X2Y3Z4A5B6',
        provider: 'X',
        limit: 280,
        actual: 281,
      },
    ],
  },
  Unauthorized: { message: 'This token is wrong or revoked. Make a new one.', issues: [] },
  PlanLimit: {
    message:
      'The Free plan of this workspace does not cover this: the 30 scheduled posts of this month are used up. What lifts it: the plan Team or Business, or the next month.',
    issues: [],
  },
  ApprovalRequired: {
    message: `posts.publishNow needs a human, who can do it at ${at}/posts/${post}. Do not retry.`,
    issues: [
      {
        path: 'id',
        code: 'NeedsApproval',
        message: 'needs a human, who can do it at url',
        url: `${at}/posts/${post}`,
      },
    ],
  },
  Forbidden: {
    message: 'A viewer may not use posts.create. It takes one of: owner, admin, editor.',
    issues: [],
  },
  NotFound: { message: `There is no post with id ${post} here.`, issues: [] },
  UnknownAction: { message: 'There is no action posts.creat. GET /api/agent/tools lists them all.', issues: [] },
  Conflict: {
    message: `The post ${post} was changed at 2026-11-15T09:31:00.654321Z, after your baseUpdatedAt. Read it again.`,
    issues: [],
  },
  TooManyRequests: { message: 'More than 300 requests in 60 seconds. Wait 12 seconds, then try again.', issues: [] },
  Internal: {
    message: 'Something went wrong on the server. Try again later and quote the x-request-id.',
    issues: [],
  },
};

const errorSchema = <C extends ErrorCode>(code: C) =>
  z
    .object({
      code: z.literal(code).describe('Branch on it'),
      message: z.string().describe('A sentence for humans that says what to do next'),
      issues: z.array(Issue).describe('What exactly is wrong; empty when the message says it all'),
    })
    .meta({ id: `${code}Error`, description: errors[code].meaning });

/** The body of every answer that is not a success, by code. */
export const errorSchemas = Object.fromEntries(
  (Object.keys(errors) as ErrorCode[]).map((code) => [code, errorSchema(code)]),
) as { readonly [C in ErrorCode]: ReturnType<typeof errorSchema<C>> };
