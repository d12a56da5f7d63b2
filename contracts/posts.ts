import { z } from 'zod';
import { MetricsEntry } from './analytics.ts';
import { textBounds } from './bounds.ts';
import {
  action,
  appRoute,
  byId,
  CanonicalInstant,
  Cursor,
  Deleted,
  Empty,
  Id,
  Instant,
  InstantOrEmpty,
  NextCursor,
  type RawRoute,
  type Route,
  rawRoute,
} from './define.ts';
import { Issue } from './errors.ts';
import { AltText, MediaItem } from './media.ts';
import { Choice, Constraints, OptionKey, PollLimits, ProviderName } from './providers.ts';
import { editors, everyone } from './scopes.ts';
import { SendStep } from './send-step.ts';

export { SendStep, sendSteps } from './send-step.ts';

export const postStatuses = ['Draft', 'Scheduled', 'Publishing', 'Published', 'Failed'] as const;
export type PostStatus = (typeof postStatuses)[number];
export const Status = z
  .enum(postStatuses)
  .describe('Draft, Scheduled (a human approved its time), Publishing, Published (every account has it) or Failed');

const Body = z.string().max(textBounds.itemCharacters);
const OptionValue = z.string().max(textBounds.optionCharacters);
const Options = z.record(z.string().max(textBounds.idCharacters), OptionValue);

export const ContentItem = z
  .object({
    body: z.string().describe('Plain text, no HTML'),
    media: z.array(z.string()).describe('Media ids in display order'),
  })
  .meta({ id: 'ContentItem', description: 'One item of a post; a thread has several' });

export const Version = z
  .object({
    accountId: z.string().optional().describe('Account this version overrides; absent on the original version'),
    content: z.array(ContentItem).describe('The items in order'),
    options: z.record(z.string(), z.string()).describe('Network options by key, see providers.limits'),
  })
  .meta({ id: 'Version', description: 'Text, media and options: the original, or what one account gets instead' });
export type Version = z.output<typeof Version>;

/** A file of the library, or one that the server fetches into it. */
const MediaSource = z.string().min(1).max(textBounds.urlCharacters);

export const VersionInput = z
  .strictObject({
    accountId: z
      .string()
      .max(100)
      .optional()
      .describe('Account this version overrides; empty for the original version'),
    content: z
      .array(
        z.strictObject({
          body: Body.describe('Plain text, no HTML'),
          media: z
            .array(MediaSource)
            .max(textBounds.mediaPerItem)
            .default([])
            .describe(
              'Media ids or https:// addresses of files, in display order; an address is fetched, and its id saved',
            ),
          alt: z
            .array(AltText)
            .max(textBounds.mediaPerItem)
            .optional()
            .describe('Alternative texts beside media, for those that have none yet'),
        }),
      )
      .min(1)
      .max(textBounds.items)
      .describe('The items in order; a thread has several'),
    options: Options.default({}).describe('Network options by key, see providers.limits'),
  })
  .meta({ id: 'VersionInput' });
export type VersionInput = z.output<typeof VersionInput>;

/** Why publishing to an account failed: programs branch on it, and people read the message. */
export const resultErrorCodes = [
  'disconnected',
  'reconnect',
  'permission',
  'rate_limited',
  'content_refused',
  'media_refused',
  'unavailable',
  'uncertain',
  'not_sent',
  'invalid',
  'missed',
] as const;

export const Result = z
  .object({
    accountId: z.string().describe('Account it was for'),
    provider: z.string().optional().describe("The network's display name"),
    ok: z.boolean().describe('Whether publishing to this account succeeded'),
    externalId: z.string().optional().describe("The network's own post id"),
    uncertain: z
      .boolean()
      .describe('True when success could not be confirmed: look at the network before you publish again'),
    url: z.string().optional().describe('Address of the post on the network'),
    error: z
      .object({
        code: z.enum(resultErrorCodes).describe('A stable name, for programs'),
        message: z.string().describe('What to do'),
        networkCode: z.string().optional().describe('What the network itself calls it'),
      })
      .optional()
      .describe('Why it failed'),
    publishedAt: CanonicalInstant.optional(),
    note: z
      .string()
      .optional()
      .describe('What a person still has to do at the network, or what did not work after it was out'),
  })
  .meta({ id: 'Result', description: 'How publishing to one account ended' });
export type Result = z.output<typeof Result>;

export const forecastCodes = [
  'sign_in_ends',
  'reconnect',
  'disconnected',
  'permission',
  'limit',
  'media',
  'network_quota',
  'plan',
  'same_minute',
  'clock_change',
  'api_version',
  'workspace_deletion',
] as const;
export type ForecastCode = (typeof forecastCodes)[number];
export const forecastFixes = ['Reconnect', 'MoveTo', 'LeaveOut', 'SetOption', 'KeepWorkspace'] as const;

export const ForecastFix = z
  .object({
    kind: z
      .enum(forecastFixes)
      .describe(
        'Reconnect: a person signs in to the account again. MoveTo: schedule it for `at`. LeaveOut: take the account out of the post. SetOption: set `key` to `value`. KeepWorkspace: an owner takes the deletion back',
      ),
    at: CanonicalInstant.optional(),
    key: z.string().optional().describe('Option key'),
    value: z.string().optional().describe('Value of the option'),
  })
  .meta({ id: 'ForecastFix', description: 'A change that ends the cause' });
export type ForecastFix = z.output<typeof ForecastFix>;

export const ForecastEntry = z
  .object({
    code: z.enum(forecastCodes).describe('The cause, as a stable name for programs; a new release may have more'),
    level: z
      .enum(['Blocks', 'Warns'])
      .describe(
        'Blocks: as things stand, it does not go out at its time to this account. Warns: it goes out, but differently than expected, or it is not certain',
      ),
    short: z.string().describe('The cause in a few words'),
    message: z.string().describe('What is wrong, and since when or until when'),
    accountId: z.string().optional().describe('The account it is about; absent when it is about the whole post'),
    provider: z.string().optional().describe("The network's display name"),
    at: CanonicalInstant.optional().describe('The time that the message names'),
    fixes: z.array(ForecastFix).optional().describe('Changes that end it, the most fitting first; absent without one'),
  })
  .meta({ id: 'ForecastEntry', description: 'Why a scheduled post will not go out as planned, or may not' });
export type ForecastEntry = z.output<typeof ForecastEntry>;

const Forecast = z
  .array(ForecastEntry)
  .optional()
  .describe('What is foreseen about a Scheduled post, what blocks it first; absent when nothing is');

export const Post = z
  .object({
    id: z.string().describe('Post id, prefix `post_`'),
    status: Status,
    accountIds: z.array(z.string()).describe('Accounts it goes to'),
    versions: z.array(Version).describe('The original version first, then the overrides'),
    scheduledAt: z
      .string()
      .optional()
      .describe(
        'ISO-8601 instant. On a Draft it is only a suggestion: nothing happens at that time until the post is scheduled',
      ),
    results: z.array(Result).describe('One per account after publishing; empty before'),
    labels: z
      .array(z.string())
      .optional()
      .describe('Names of its labels, in posts.get and posts.list; absent without one'),
    forecast: Forecast.describe(
      'In posts.get and posts.list: why a Scheduled post will not go out as planned, what blocks it first; absent when nothing is foreseen. Looked at after every change and once a day',
    ),
    updatedAt: z
      .string()
      .describe('ISO-8601 instant with microseconds; grows with every change. Send it back as baseUpdatedAt'),
  })
  .meta({ id: 'Post', description: 'What goes to one or more accounts, and how that went' });
export type Post = z.output<typeof Post>;

export const Warnings = z.array(Issue).describe('What is allowed but may be unexpected');

export const Validation = z
  .object({
    valid: z.literal(true).describe('Always true: a broken limit is answered as an error `Invalid`'),
    issues: z.array(Issue).describe('Always empty: broken limits are answered as an error `Invalid`'),
    warnings: Warnings,
    nextFreeSlot: z
      .string()
      .optional()
      .describe('Over MCP: the next time in the weekly plan of the workspace that is free for its accounts'),
    bestTime: z
      .string()
      .optional()
      .describe('Over MCP: the next hour of the week in which its accounts did best, of those with 3 posts or more'),
  })
  .meta({ id: 'Validation', description: 'A post that keeps all limits' });
export type Validation = z.output<typeof Validation>;

export const PostSummary = z
  .object({
    ...Post.pick({ id: true, status: true, accountIds: true }).shape,
    text: z.string().describe('The beginning of the original version, at most 200 characters'),
    items: z.int().describe('How many items the original version has'),
    thumbnail: z
      .object({ url: MediaItem.shape.thumbnailUrl, kind: MediaItem.shape.kind })
      .optional()
      .describe('Of its first file'),
    results: z
      .array(Result.pick({ accountId: true, ok: true, uncertain: true, error: true }))
      .describe('One per account after publishing; empty before'),
    scheduledAt: CanonicalInstant.optional(),
    publishedAt: z.string().optional().describe('ISO-8601 instant at which the first account had it'),
    engagement: z.int().optional().describe('Absent until it is published'),
    numbers: z
      .enum(['Read', 'Pending', 'None'])
      .optional()
      .describe(
        'Whether its engagement is known. Read: from at least one account. Pending: the first read is still to come. None: nothing can be read. Absent until it is published',
      ),
    labelIds: z.array(z.string()).describe('Its labels'),
    forecast: Forecast,
    updatedAt: CanonicalInstant,
  })
  .meta({ id: 'PostSummary', description: 'A post in one line' });
export type PostSummary = z.output<typeof PostSummary>;

export const PostLine = z
  .object({
    ...Post.pick({ id: true, status: true }).shape,
    text: z.string().describe('The beginning of the original version, at most 100 characters'),
    scheduledAt: CanonicalInstant.optional(),
    publishedAt: z.string().optional().describe('ISO-8601 instant at which the first account had it'),
    labels: z.array(z.string()).optional().describe('Names of its labels; absent without one'),
    forecast: Forecast,
    networks: z.array(z.string()).describe('Keys of the networks it goes to'),
  })
  .meta({ id: 'PostLine', description: 'A post in the results of a search' });
export type PostLine = z.output<typeof PostLine>;

export const LinkCard = z
  .object({
    network: z.string().describe('Key of the network that shows it'),
    uri: z.string().describe('Address of the page'),
    title: z.string().describe('What the page calls itself'),
    description: z.string().describe('What the page says about itself; may be empty'),
    pictureUrl: z.string().optional().describe('Where its picture is on this server'),
  })
  .meta({ id: 'LinkCard', description: 'The preview of a page that a post links to' });
export type LinkCard = z.output<typeof LinkCard>;

export const EditorView = z
  .object({
    updatedAt: z.string().describe('Of the post that this is about'),
    issues: z.array(Issue).describe('Broken limits; while there is one the post cannot go out'),
    warnings: Warnings,
    accounts: z
      .array(
        z.object({
          accountId: z.string().describe('Account id, prefix `acct_`'),
          constraints: Constraints,
          choices: z
            .record(z.string(), z.array(Choice))
            .describe('Choices of options that this account alone has, by option key'),
          disabledOptions: z
            .record(z.string(), z.string())
            .describe('Options that cannot be switched on for this account as the post is, by option key, and why'),
          pollLimits: PollLimits.optional().describe('Limits of a poll that this account alone has'),
          fitted: z
            .record(z.string(), MediaItem)
            .describe('What the account gets in the place of a file that breaks its limits, by media id'),
        }),
      )
      .describe('What each connected account of the post allows, with its options as they are'),
    media: z.array(MediaItem).describe('The files that its versions use'),
    linkCards: z.array(LinkCard).describe('Stored link cards: they go out as a person saw them'),
  })
  .meta({ id: 'EditorView', description: 'What an editor shows beside a post' });
export type EditorView = z.output<typeof EditorView>;

export const postGroups = ['Scheduled', 'Drafts', 'Sent', 'Timed', 'Late', 'Recent'] as const;
export type PostGroup = (typeof postGroups)[number];

export const PostFilter = {
  query: z.string().max(200).default('').describe('Only posts with this in their text'),
  accountIds: z
    .string()
    .max(20_000)
    .default('')
    .describe('Only posts for one of these accounts; ids separated by commas'),
  labelIds: z.string().max(5_000).default('').describe('Only posts with one of these labels; ids separated by commas'),
};

const accountId = 'acct_01JCQ2X7M8T9V0W1X2Y3Z4A5B6';
export const examplePost: Post = {
  id: 'post_01JCQ4B2C3D4E5F6G7H8J9K0M1',
  status: 'Draft',
  accountIds: [accountId],
  versions: [{ content: [{ body: 'Posthorn is here', media: [] }], options: {} }],
  results: [],
  updatedAt: '2026-11-15T09:30:00.123456Z',
};
const draft = examplePost;
const edited = (change: Partial<Post>): Post => ({ ...draft, ...change, updatedAt: '2026-11-15T09:31:00.654321Z' });

const PostId = Id.describe('Post id');
const VersionAccount = z
  .string()
  .max(100)
  .default('')
  .describe('Account whose version is meant; empty for the original version');

const BaseUpdatedAt = InstantOrEmpty.default('').describe(
  'updatedAt of the post this change is based on; Conflict when it was changed since',
);

export const postActions = {
  'posts.list': action({
    kind: 'ReadOnly',
    scope: 'posts:read',
    roles: everyone,
    mcp: 'Listed',
    summary: 'List posts',
    description:
      'Posts of the workspace, newest first, one page at a time. To find one, send query and view summary: that is a line for each post instead of all its versions.',
    input: z.strictObject({
      status: z.enum(postStatuses).optional().describe('Only posts with this status'),
      query: z.string().max(200).default('').describe('Only posts with this in the text of a version, in any case'),
      from: InstantOrEmpty.default('').describe(
        'Only posts whose time is not before this instant: when it was published, else scheduledAt',
      ),
      to: InstantOrEmpty.default('').describe('Only posts whose time is before this instant'),
      label: z.string().max(textBounds.labelCharacters).default('').describe('Only posts with the label of this name'),
      waiting: z
        .boolean()
        .default(false)
        .describe('Only posts about which a request waits for a human; requests has their approvalUrl'),
      view: z
        .enum(['full', 'summary'])
        .default('full')
        .describe('summary: posts stays empty, and summaries has a line for each'),
      limit: z.int().min(1).max(100).default(50).describe('How many to return'),
      cursor: Cursor,
    }),
    output: z.object({
      posts: z.array(Post).describe('Newest first'),
      summaries: z.array(PostLine).optional().describe('With view summary, instead of posts'),
      requests: z
        .array(
          z.object({
            postId: z.string().describe('Post id'),
            action: z.string().describe('Dotted name of the action that waits'),
            approvalUrl: z.string().describe('Where a human decides'),
          }),
        )
        .optional()
        .describe('With waiting: what waits for a human about these posts'),
      nextCursor: z.string().optional().describe('Present when there are more; send it as cursor'),
    }),
    errors: [],
    examples: [
      { title: 'Drafts', input: { status: 'Draft' }, output: { posts: [draft] } },
      {
        title: 'Find one by its text',
        input: { query: 'is here', view: 'summary' },
        output: {
          posts: [],
          summaries: [{ id: draft.id, status: 'Draft', text: 'Posthorn is here', networks: ['bluesky'] }],
        },
      },
    ],
  }),

  'posts.get': action({
    kind: 'ReadOnly',
    scope: 'posts:read',
    roles: everyone,
    mcp: 'Listed',
    summary: 'Read one post',
    description:
      'One post with all its versions and, after publishing, the result per account. For a Scheduled post, forecast says why it will not go out as planned, where that is known.',
    input: z.strictObject({ id: PostId }),
    output: Post,
    errors: ['NotFound'],
    examples: [{ title: 'A draft', input: { id: draft.id }, output: draft }],
  }),

  'posts.create': action({
    kind: 'Write',
    scope: 'posts:write',
    roles: editors,
    mcp: 'Listed',
    summary: 'Create a draft',
    description:
      'Saves a draft, from body alone or from versions where it is a thread, has media or options, or differs between accounts. With scheduledAt the draft only keeps the suggested time: nothing is scheduled until posts.schedule is called and a human approves it.',
    input: z.strictObject({
      accountIds: z.array(Id).max(textBounds.accounts).default([]).describe('Accounts the post goes to'),
      body: Body.default('').describe('Text of the original version; leave it out when you send versions'),
      versions: z
        .array(VersionInput)
        .max(1 + textBounds.accounts)
        .default([])
        .describe('In place of body: exactly one original version, and at most one per account of accountIds'),
      scheduledAt: InstantOrEmpty.default('').describe(
        'Suggested time, an ISO-8601 instant; empty saves a draft without one',
      ),
    }),
    output: Post,
    errors: [],
    examples: [
      { title: 'A draft', input: { accountIds: [accountId], body: 'Posthorn is here' }, output: draft },
      {
        title: 'A thread',
        input: { accountIds: [accountId], versions: [{ content: [{ body: 'Posthorn is here' }, { body: '2/2' }] }] },
        output: {
          ...draft,
          versions: [
            {
              content: [
                { body: 'Posthorn is here', media: [] },
                { body: '2/2', media: [] },
              ],
              options: {},
            },
          ],
        },
      },
    ],
  }),

  'posts.update': action({
    kind: 'Write',
    scope: 'posts:write',
    roles: editors,
    mcp: 'Listed',
    summary: 'Replace a post',
    description:
      'Replaces accounts, versions and time of a Draft or Failed post. Send baseUpdatedAt to get a Conflict when somebody changed the post meanwhile. Changing a Scheduled post needs a human, and so does taking it back to Draft with unschedule.',
    input: z.strictObject({
      id: PostId,
      accountIds: z.array(Id).max(textBounds.accounts).describe('Accounts the post goes to'),
      versions: z
        .array(VersionInput)
        .min(1)
        .max(1 + textBounds.accounts)
        .describe('Exactly one original version, and at most one per account of accountIds'),
      scheduledAt: InstantOrEmpty.default('').describe('Suggested time, an ISO-8601 instant; empty for none'),
      unschedule: z.boolean().default(false).describe('Take a Scheduled post back to Draft'),
      baseUpdatedAt: BaseUpdatedAt,
    }),
    output: Post,
    errors: ['ApprovalRequired', 'NotFound', 'Conflict'],
    examples: [
      {
        title: 'Another text',
        input: {
          id: draft.id,
          accountIds: [accountId],
          versions: [{ content: [{ body: 'Posthorn is here, and it can thread' }, { body: '2/2' }] }],
          baseUpdatedAt: draft.updatedAt,
        },
        output: edited({
          versions: [
            {
              content: [
                { body: 'Posthorn is here, and it can thread', media: [] },
                { body: '2/2', media: [] },
              ],
              options: {},
            },
          ],
        }),
      },
    ],
    approval: {
      subject: 'post',
      sentence: 'Change this scheduled post',
      verb: 'Approve the change',
      instead: { unschedule: 'Take this scheduled post back to Draft' },
    },
  }),

  'posts.setVersionText': action({
    kind: 'Write',
    scope: 'posts:write',
    roles: editors,
    mcp: 'Listed',
    summary: 'Set the text of a version',
    description:
      'Replaces the text of one item, in the original version or in the version of one account. An account without a version of its own gets a copy of the original with all its items and media, of which this one is changed; with only: true this item is all it has. Changing a Scheduled post needs a human.',
    input: z.strictObject({
      id: PostId,
      body: Body.describe('The new text'),
      accountId: VersionAccount,
      itemIndex: z
        .int()
        .min(0)
        .max(textBounds.items - 1)
        .default(0)
        .describe('Which item, from 0; the number of items adds one at the end'),
      only: z.boolean().default(false).describe('Leave out all other items of this version'),
      baseUpdatedAt: BaseUpdatedAt,
    }),
    output: Post,
    errors: ['ApprovalRequired', 'NotFound', 'Conflict'],
    examples: [
      {
        title: 'Only for one account',
        input: { id: draft.id, accountId, body: 'Hello Bluesky' },
        output: edited({
          versions: [...draft.versions, { accountId, content: [{ body: 'Hello Bluesky', media: [] }], options: {} }],
        }),
      },
    ],
    approval: { subject: 'post', sentence: 'Change the text of this scheduled post', verb: 'Approve the change' },
  }),

  'posts.setOption': action({
    kind: 'Write',
    scope: 'posts:write',
    roles: editors,
    mcp: 'Listed',
    summary: 'Set an option',
    description:
      'Sets a network option, see providers.limits for keys and choices. On the original version it applies to every account of that network. An empty value removes it, so that the default applies. Changing a Scheduled post needs a human.',
    input: z.strictObject({
      id: PostId,
      key: OptionKey,
      accountId: VersionAccount,
      value: OptionValue.default('').describe('The value as text; empty removes the option'),
      baseUpdatedAt: BaseUpdatedAt,
    }),
    output: Post,
    errors: ['ApprovalRequired', 'NotFound', 'Conflict'],
    examples: [
      {
        title: 'Nobody may reply',
        input: { id: draft.id, key: 'bluesky.reply_control', value: 'nobody' },
        output: edited({
          versions: [
            { content: [{ body: 'Posthorn is here', media: [] }], options: { 'bluesky.reply_control': 'nobody' } },
          ],
        }),
      },
    ],
    approval: { subject: 'post', sentence: 'Change an option of this scheduled post', verb: 'Approve the change' },
  }),

  'posts.validate': action({
    kind: 'ReadOnly',
    scope: 'posts:read',
    roles: everyone,
    mcp: 'Listed',
    summary: 'Check a post against the limits',
    description:
      'Checks the post against the limits of every network it goes to. Broken limits are answered as error `Invalid`, with one issue per problem and account. Call it before asking to schedule or publish.',
    input: z.strictObject({ id: PostId }),
    output: Validation,
    errors: ['Invalid', 'NotFound'],
    examples: [{ title: 'All fine', input: { id: draft.id }, output: { valid: true, issues: [], warnings: [] } }],
  }),

  'posts.schedule': action({
    kind: 'NeedsApproval',
    scope: 'posts:publish',
    roles: editors,
    mcp: 'Listed',
    summary: 'Schedule a post',
    description:
      'Schedules a Draft or Failed post for a time in the future; it then goes public by itself, which cannot be undone. Accounts that already have it are left out. A human approves it in the app. Over MCP it also asks to move a Scheduled post to another time.',
    input: z.strictObject({
      id: PostId,
      at: Instant.describe('When to publish: an instant in the future'),
    }),
    output: Post,
    errors: ['Invalid', 'PlanLimit', 'NotFound', 'Conflict'],
    openWorld: true,
    approval: {
      subject: 'post',
      sentence: 'Schedule this post for {at}',
      verb: 'Approve and schedule',
      whenScheduled: { sentence: 'Move this scheduled post from {from} to {at}', verb: 'Approve and move' },
    },
    examples: [
      {
        title: 'Tomorrow morning',
        input: { id: draft.id, at: '2030-11-18T08:00:00Z' },
        output: edited({ status: 'Scheduled', scheduledAt: '2030-11-18T08:00:00.000000Z' }),
      },
    ],
  }),

  'posts.publishNow': action({
    kind: 'NeedsApproval',
    scope: 'posts:publish',
    roles: editors,
    mcp: 'Listed',
    summary: 'Publish now',
    description:
      'Publishes a Draft or Failed post to all its accounts at once. Accounts that already have it are left out. Public and irreversible. A human approves it in the app.',
    input: z.strictObject({ id: PostId }),
    output: Post,
    errors: ['Invalid', 'PlanLimit', 'NotFound', 'Conflict'],
    openWorld: true,
    approval: { subject: 'post', sentence: 'Publish this post now', verb: 'Approve and publish' },
    examples: [{ title: 'Publish', input: { id: draft.id }, output: edited({ status: 'Publishing' }) }],
  }),

  'posts.delete': action({
    kind: 'NeedsApproval',
    scope: 'posts:publish',
    roles: editors,
    mcp: 'Listed',
    summary: 'Delete a post',
    description:
      'Deletes a post that is not published. API and MCP callers cannot get it back; a person can restore it in the app for 30 days. What a Failed post already published stays public. A human approves it in the app.',
    input: z.strictObject({ id: PostId }),
    output: Deleted,
    errors: ['NotFound', 'Conflict'],
    destructive: true,
    approval: { subject: 'post', sentence: 'Delete this post', verb: 'Approve and delete', areDraftsFree: true },
    examples: [{ title: 'Delete', input: { id: draft.id }, output: { id: draft.id, deleted: true } }],
  }),

  'posts.metrics': action({
    kind: 'ReadOnly',
    scope: 'posts:read',
    roles: everyone,
    mcp: 'OnRequest',
    summary: 'Read the statistics of a post',
    description:
      'Numbers per account the post was published to, as stored at the last read (fetchedAt). Networks are read 1 h, 6 h, 24 h, 3 d, 7 d and 30 d after publication.',
    input: z.strictObject({ id: PostId }),
    output: z.object({
      postId: z.string().describe('Post id'),
      accounts: z.array(MetricsEntry).describe('One entry per account it was published to'),
    }),
    errors: ['NotFound'],
    examples: [
      {
        title: 'After the first read',
        input: { id: draft.id },
        output: {
          postId: draft.id,
          accounts: [
            {
              accountId,
              provider: 'Bluesky',
              externalId: 'at://did:plc:anna/app.bsky.feed.post/3lb2k4x5y6z7a',
              publishedAt: '2026-11-15T09:35:00.000000Z',
              metrics: {
                likes: 12,
                comments: 3,
                shares: 2,
                quotes: 0,
                saves: 1,
                fetchedAt: '2026-11-15T10:35:02.000000Z',
              },
              nextFetchAt: '2026-11-15T15:35:00.000000Z',
            },
          ],
        },
      },
    ],
  }),
};

export const postRoutes = {
  searchPosts: appRoute({
    method: 'GET',
    path: '/api/app/posts',
    tag: 'posts',
    summary: 'Browse posts',
    description:
      'Posts in one line each, page by page. Scheduled: the next first. Drafts: the last edited first. Sent (Publishing, Published, Failed): the newest first. Timed: whatever has a time, by that time, for a calendar. Late: scheduled posts that were due more than five minutes ago, the oldest first. Recent: all, the last changed first.',
    roles: everyone,
    query: z.strictObject({
      group: z.enum(postGroups).describe('Which posts, in the order that the description gives'),
      status: z.enum(postStatuses).optional().describe('Only this status of the group'),
      ...PostFilter,
      ids: z.string().max(5_000).default('').describe('Only these posts; ids separated by commas'),
      from: InstantOrEmpty.default('').describe('Timed: not before this instant'),
      to: InstantOrEmpty.default('').describe('Timed: before this instant'),
      cursor: Cursor,
    }),
    answer: z.object({
      posts: z.array(PostSummary).describe('At most 50; Timed and Late have 500'),
      nextCursor: NextCursor,
    }),
  }),

  countPosts: appRoute({
    method: 'GET',
    path: '/api/app/posts/counts',
    tag: 'posts',
    summary: 'Count posts',
    description: 'How many posts there are of each status.',
    roles: everyone,
    query: z.strictObject(PostFilter),
    answer: z.object({
      counts: z
        .object({
          Draft: z.int().describe('Not scheduled'),
          Scheduled: z.int().describe('Waiting for their time'),
          Publishing: z.int().describe('Being published'),
          Published: z.int().describe('Every account has them'),
          Failed: z.int().describe('At least one account does not have them, or may not'),
        })
        .describe('Numbers of posts by status'),
    }),
  }),

  viewForEditor: appRoute({
    method: 'GET',
    path: '/api/app/posts/:id/editor',
    tag: 'posts',
    summary: 'Read what an editor shows beside a post',
    description: 'What is wrong with the post as it is saved, what its accounts allow, and the files that it uses.',
    roles: everyone,
    params: byId('Post id'),
    answer: EditorView,
    more: ['NotFound'],
  }),

  countScheduled: appRoute({
    method: 'GET',
    path: '/api/app/posts/scheduled',
    tag: 'posts',
    summary: 'Count scheduled posts by account',
    description:
      'How many scheduled posts each account has; accounts without any are left out. These posts fail if the account is disconnected.',
    roles: everyone,
    answer: z.object({
      accounts: z
        .array(
          z.object({
            id: z.string().describe('Account id, prefix `acct_`'),
            scheduled: z.int().describe('How many scheduled posts it has'),
          }),
        )
        .describe('Those with a scheduled post, in no order'),
    }),
  }),

  getLastAccounts: appRoute({
    method: 'GET',
    path: '/api/app/posts/last-accounts',
    tag: 'posts',
    summary: 'Accounts of the last post',
    description:
      'The accounts of your newest post that was scheduled or sent, else of the newest in the workspace: a new post starts with them.',
    roles: everyone,
    answer: z.object({
      accountIds: z
        .array(z.string())
        .describe('Those still connected, in the order of that post; empty without such a post'),
      disconnected: z.int().describe('How many accounts of that post are no longer connected'),
    }),
  }),

  unschedule: appRoute({
    method: 'POST',
    path: '/api/app/posts/:id/unschedule',
    tag: 'posts',
    summary: 'Unschedule a post',
    description: 'It becomes a Draft again and keeps its time as a suggestion.',
    roles: editors,
    approval: { subject: 'post', sentence: 'Take this scheduled post back to Draft', verb: 'Approve and unschedule' },
    params: byId('Post id'),
    body: Empty,
    answer: Post,
    more: ['ApprovalRequired', 'NotFound', 'Conflict'],
  }),

  publishScheduled: appRoute({
    method: 'POST',
    path: '/api/app/posts/:id/publish-scheduled',
    tag: 'posts',
    summary: 'Publish a scheduled post now',
    description: 'Takes a Scheduled post off its time and publishes it at once, both or neither.',
    roles: editors,
    approval: { subject: 'post', sentence: 'Publish this scheduled post now', verb: 'Approve and publish' },
    params: byId('Post id'),
    body: Empty,
    answer: Post,
    more: ['ApprovalRequired', 'Invalid', 'PlanLimit', 'NotFound', 'Conflict'],
  }),

  publishAgain: appRoute({
    method: 'POST',
    path: '/api/app/posts/:id/publish-again',
    tag: 'posts',
    summary: 'Publish again despite an uncertain result',
    description:
      'Publishes a Failed post again, also to accounts whose result is `uncertain` and where you looked and did not find it. Without this, an uncertain account gets the post only when its network says that it is not there. With `only` the results of all other accounts stay as they are.',
    roles: editors,
    approval: {
      subject: 'post',
      sentence: 'Send this post again',
      verb: 'Approve and send again',
      instead: {
        accountIds: 'Send this post again to {accountIds}, where it was not found',
        only: 'Send this post again to {only}',
      },
    },
    params: byId('Post id'),
    body: z.strictObject({
      accountIds: z.array(Id).max(100).default([]).describe('The uncertain accounts you looked at'),
      only: z
        .array(Id)
        .max(100)
        .default([])
        .describe('Accounts without the post that get it now; empty for all of them'),
    }),
    answer: Post,
    more: ['ApprovalRequired', 'Invalid', 'PlanLimit', 'NotFound', 'Conflict'],
  }),

  getProgress: appRoute({
    method: 'GET',
    path: '/api/app/posts/:id/progress',
    tag: 'posts',
    summary: 'Read the progress of publishing',
    description:
      'The results of the accounts that have one already, and how far the others are. While it goes out, the event stream of the app carries each step as it happens.',
    roles: everyone,
    params: byId('Post id'),
    answer: z.object({
      status: Status,
      results: z.array(Result).describe('One per account that is done'),
      waits: z
        .array(
          z.object({
            accountId: z.string().describe('Account id, prefix `acct_`'),
            provider: ProviderName,
            until: CanonicalInstant.describe('When it continues'),
            message: z.string().describe('What the network said'),
          }),
        )
        .describe('Accounts that wait for more than an hour, because their network has named a time'),
      steps: z.array(SendStep).describe('The latest step of each account that the post is sent to'),
    }),
    more: ['NotFound'],
  }),

  giveUp: appRoute({
    method: 'POST',
    path: '/api/app/posts/:id/give-up',
    tag: 'posts',
    summary: 'Stop waiting for a network',
    description:
      'Ends sends that wait for the time that their network has named, see getProgress. Nothing more goes out to these accounts, and the post ends as Failed.',
    roles: editors,
    approval: { subject: 'post', sentence: 'Stop sending this post to {accountIds}', verb: 'Approve and stop' },
    params: byId('Post id'),
    body: z.strictObject({ accountIds: z.array(Id).min(1).max(100).describe('The accounts that wait') }),
    answer: Post,
    more: ['ApprovalRequired', 'NotFound', 'Conflict'],
  }),

  confirmFound: appRoute({
    method: 'POST',
    path: '/api/app/posts/:id/found',
    tag: 'posts',
    summary: 'Confirm that an uncertain post is there',
    description:
      'You looked at the accounts whose result is `uncertain` and found the post. It counts as published, and nothing is sent. Without an id of the network it has no statistics.',
    roles: editors,
    params: byId('Post id'),
    body: z.strictObject({ accountIds: z.array(Id).min(1).max(100).describe('The uncertain accounts you looked at') }),
    answer: Post,
    more: ['NotFound', 'Conflict'],
  }),
} as const satisfies Record<string, Route>;
export type PostRoutes = typeof postRoutes;

export const postPaths = {
  linkCardPicture: rawRoute({
    methods: ['GET', 'HEAD'],
    path: '/link-cards/:id',
    access: 'Open',
    handler: 'Own',
    description: 'The picture of a link card, from our own address.',
  }),
} as const satisfies Record<string, RawRoute>;
