import { z } from 'zod';
import { metricNames } from './analytics.ts';
import { action, Empty, Id } from './define.ts';
import { mediaKinds } from './media.ts';
import { everyone } from './scopes.ts';

/** The keys of the folders in server/networks. No contract names a network: the generator writes them into every output. */
export const NetworkKey = z
  .string()
  .meta({ id: 'NetworkKey', description: 'Key of a network, such as `bluesky`; option keys begin with it' });

/** The same in a request: a key that no network has is NotFound. */
export const NetworkName = z.string().max(50).describe('Key of the network, see providers.list');

export const ProviderName = z.string().describe('Display name of the network, such as `Bluesky`');

/** The options that those networks declare, likewise. */
export const OptionKey = z
  .string()
  .min(1)
  .max(100)
  .meta({ id: 'OptionKey', description: '`<network>.<option>`, see providers.limits' });

const ImageLimits = z
  .object({
    max: z.int().describe('Images per item'),
    mimeTypes: z.array(z.string()).describe('Accepted types'),
    maxBytes: z.int().describe('Bytes per image'),
    minWidth: z.int().optional().describe('Pixels'),
    minHeight: z.int().optional().describe('Pixels'),
    maxPixels: z.int().optional().describe('Width times height'),
    minRatio: z.number().optional().describe('Least width divided by height'),
    maxRatio: z.number().optional().describe('Greatest width divided by height'),
    maxAltLength: z.int().optional().describe('Characters of alternative text'),
  })
  .meta({ id: 'ImageLimits' });

const FileLimits = ImageLimits.omit({ max: true, maxAltLength: true }).meta({ id: 'FileLimits' });

const VideoLimits = z
  .object({
    max: z.int().describe('Videos per item'),
    mimeTypes: z.array(z.string()).describe('Accepted types'),
    maxBytes: z.int().describe('Bytes per video'),
    minDurationMs: z.int().optional().describe('Shortest, in milliseconds'),
    maxDurationMs: z.int().optional().describe('Longest, in milliseconds'),
    minRatio: z.number().optional().describe('Least width divided by height'),
    maxRatio: z.number().optional().describe('Greatest width divided by height'),
    maxWidth: z.int().optional().describe('Pixels'),
    maxFrameRate: z.number().optional().describe('Most pictures per second'),
    videoCodecs: z.array(z.string()).optional().describe('Accepted codecs of the pictures; absent when any is'),
    audioCodecs: z.array(z.string()).optional().describe('Accepted codecs of the sound; absent when any is'),
  })
  .meta({ id: 'VideoLimits' });

const DocumentLimits = z
  .object({
    max: z.int().describe('Documents per item; one stands alone'),
    mimeTypes: z.array(z.string()).describe('Accepted types'),
    maxBytes: z.int().describe('Bytes per document'),
  })
  .meta({ id: 'DocumentLimits' });

export const countingRules = [
  'Utf16Units',
  'CodePoints',
  'Utf8Bytes',
  'Graphemes',
  'Weighted',
  'EmojiBytes',
  'Escaped',
] as const;

export const foldUnits = ['Characters', 'Counted', 'Lines'] as const;

export const Fold = z
  .object({
    at: z.int().describe('How much is shown'),
    unit: z
      .enum(foldUnits)
      .describe('Characters: as readers see them, an emoji is 1. Counted: as `rule` counts. Lines: of the screen'),
    isObserved: z.boolean().describe('True when the network does not say so and `at` is about right'),
  })
  .meta({ id: 'Fold', description: 'Where a network cuts a text until the reader opens it' });
export type Fold = z.output<typeof Fold>;

export const Characters = z
  .object({
    max: z.int().describe('Greatest length of one item, counted as `counting` says'),
    counting: z.string().describe('How the network counts: what an emoji, a URL or a mention costs'),
    rule: z
      .enum(countingRules)
      .describe(
        'The same for programs. Weighted: Latin is 1, other scripts and an emoji 2. EmojiBytes: code points, an emoji as its UTF-8 bytes. Escaped: UTF-16 units, each of `\\|{}@[]()<>#*_~` as 2, a hashtag 12 more than it has, an http(s) URL as it is',
      ),
    links: z
      .object({
        length: z.int().describe('What each link counts, however long it is'),
        bareDomains: z.boolean().describe('Whether `example.com` without http:// is a link'),
      })
      .optional()
      .describe('Absent when a link counts in full'),
    shortLinks: z
      .boolean()
      .optional()
      .describe(
        'Whether a link is shown, and counts, as its host and its path, of which more than 15 characters become 13 and three dots',
      ),
    shortMentions: z.boolean().optional().describe('Whether `@user@host` counts as `@user`'),
    countedOptions: z.array(z.string()).optional().describe('Options whose value counts together with the text'),
    maxBytes: z.int().optional().describe('A second limit: UTF-8 bytes of one item'),
    required: z.boolean().describe('True when an item without text is refused even with media'),
    fold: Fold.optional().describe('Absent when the text is shown whole, or when it is unknown where it folds'),
    titleFold: Fold.optional().describe('Where lists cut the title option; absent without one'),
  })
  .meta({ id: 'Characters', description: 'Limits of the text of one item' });
export type Characters = z.output<typeof Characters>;

export const Constraints = z
  .object({
    characters: Characters,
    media: z
      .object({
        min: z.int().describe('Least media of the first item; 0 when text alone is fine'),
        max: z.int().describe('Most media of one item'),
        mixed: z.boolean().describe('Whether images and videos may stand in one item'),
        images: ImageLimits.optional().describe('Absent when the network takes no images'),
        videos: VideoLimits.optional().describe('Absent when the network takes no videos'),
        documents: DocumentLimits.optional().describe('Absent when the network takes no documents'),
        transport: z
          .enum(['Upload', 'PublicUrl'])
          .describe('PublicUrl: the network fetches the file, so the service must be reachable from the internet'),
      })
      .describe('Limits of the media of one item'),
    thread: z
      .object({
        max: z.int().describe('Most items of one post; 1 when there are no threads'),
        form: z
          .enum(['Replies', 'Comments', 'None'])
          .describe('What items after the first become: replies to the one before, comments, or nothing'),
      })
      .describe('Limits of a thread'),
    metrics: z.array(z.enum(metricNames)).describe('Metrics the network reports; empty when it reports nothing'),
  })
  .meta({ id: 'Constraints', description: 'What a network takes' });
export type Constraints = z.output<typeof Constraints>;

export const PollLimits = z
  .object({
    minChoices: z.int().describe('Least number of choices'),
    maxChoices: z.int().describe('Greatest number of choices'),
    maxChoiceLength: z.int().describe('Greatest length of a choice'),
    minDurationMinutes: z.int().describe('Shortest time to vote'),
    maxDurationMinutes: z.int().describe('Longest time to vote'),
    multiple: z.boolean().describe('Whether a voter may have more than one choice'),
    hideTotals: z.boolean().describe('Whether the numbers can be hidden until the end'),
  })
  .meta({ id: 'PollLimits', description: 'Limits of a poll' });
export type PollLimits = z.output<typeof PollLimits>;

export const Choice = z.object({
  value: z.string().describe('What posts.setOption takes'),
  label: z.string().describe('Name for humans'),
});
export type Choice = z.output<typeof Choice>;

export const Option = z
  .object({
    key: OptionKey,
    label: z.string().describe('Name for humans'),
    type: z
      .enum(['Text', 'Choice', 'Boolean', 'Integer', 'Url', 'List', 'Instant', 'Poll', 'Focus', 'Media'])
      .describe(
        'Values are always sent as text: `true` or `false`, `12`, an ISO-8601 instant, a comma list, the id of a file of the media library. Poll: JSON, `{"choices":["A","B"],"durationMinutes":1440,"multiple":false,"hideTotals":false}`. Focus: JSON, what stays in sight of each image by media id, `{"media_…":{"x":0,"y":0.5}}` with -1 to 1 from left to right and from bottom to top',
      ),
    choices: z.array(Choice).optional().describe('The allowed values of a Choice'),
    searchable: z.boolean().optional().describe('True when the app searches the network for values'),
    perAccount: z
      .boolean()
      .optional()
      .describe('True when the values are ids that each account has of its own, such as its boards'),
    default: z.string().optional().describe('What applies when the option is not set'),
    required: z.boolean().optional().describe('True when a post to this network needs it'),
    media: z
      .array(z.enum(['None', ...mediaKinds]))
      .optional()
      .describe('Kinds of media it is for, `None` for a first item without media; absent when it is for all'),
    maxLength: z.int().optional().describe('Greatest length of a Text, or entries of a List'),
    poll: PollLimits.optional().describe('The limits of a Poll'),
    unitMs: z
      .int()
      .optional()
      .describe('On an Integer that is a moment of the video: how many milliseconds one of it is'),
    file: FileLimits.optional().describe('What the file of a Media has to be'),
    description: z.string().optional().describe('What it does'),
  })
  .meta({ id: 'Option', description: 'A setting of a post that one network has' });
export type Option = z.output<typeof Option>;

export const ProviderLimits = z
  .object({
    network: NetworkKey,
    provider: ProviderName,
    constraints: Constraints,
    options: z.array(Option).describe('Options of a version for this network'),
  })
  .meta({ id: 'ProviderLimits', description: 'What one network allows and which options it has' });
export type ProviderLimits = z.output<typeof ProviderLimits>;

const Color = z.string().regex(/^#[0-9A-F]{6}$/);

export const Badge = z
  .object({
    code: z.string().describe('One or two letters that stand for the network, such as `Bs`'),
    color: Color.describe('Background, such as `#0A73D1`; the letters on it are white'),
    darkColor: Color.optional().describe(
      'Background on a dark page, with dark letters; absent when `color` works there too',
    ),
  })
  .meta({ id: 'Badge', description: 'The letters and the colour by which pages show a network' });
export type Badge = z.output<typeof Badge>;

export const Provider = z
  .object({
    network: NetworkKey,
    provider: ProviderName,
    badge: Badge,
    connectUrl: z.string().describe('The user opens it in a browser to connect an account'),
    configured: z.boolean().describe('True when the operator has set the credentials of the real network'),
    sandbox: z.boolean().describe('True when accounts connect to the built-in sandbox: nothing leaves the server'),
  })
  .meta({ id: 'Provider', description: 'A network the server can connect to' });
export type Provider = z.output<typeof Provider>;

export const providerActions = {
  'providers.limits': action({
    kind: 'ReadOnly',
    scope: 'posts:read',
    roles: everyone,
    mcp: 'Listed',
    summary: 'Read the limits of every network',
    description:
      'Character, media and thread limits, option keys with their choices, and the metrics each network reports (constraints.metrics). Read it before writing text for a network, with networks as accounts.list names them.',
    input: z.strictObject({
      networks: z.array(Id).max(100).default([]).describe('Keys of the networks to read; empty for every one'),
      detail: z.boolean().default(false).describe('Over MCP: also say in the text what each option does'),
    }),
    output: z.object({ providers: z.array(ProviderLimits).describe('One entry per network') }),
    errors: [],
    examples: [
      {
        title: 'One of the networks',
        input: { networks: ['bluesky'] },
        output: {
          providers: [
            {
              network: 'bluesky',
              provider: 'Bluesky',
              constraints: {
                characters: {
                  max: 300,
                  counting: 'Grapheme clusters: an emoji is one',
                  rule: 'Graphemes',
                  maxBytes: 3000,
                  required: false,
                },
                media: {
                  min: 0,
                  max: 4,
                  mixed: false,
                  images: { max: 4, mimeTypes: ['image/jpeg', 'image/png'], maxBytes: 2_000_000 },
                  transport: 'Upload',
                },
                thread: { max: 25, form: 'Replies' },
                metrics: ['likes', 'comments', 'shares', 'quotes', 'saves'],
              },
              options: [
                {
                  key: 'bluesky.reply_control',
                  label: 'Who can reply',
                  type: 'Choice',
                  choices: [
                    { value: 'everyone', label: 'Everyone' },
                    { value: 'nobody', label: 'Nobody' },
                  ],
                },
              ],
            },
          ],
        },
      },
    ],
  }),

  'providers.list': action({
    kind: 'ReadOnly',
    scope: 'posts:read',
    roles: everyone,
    mcp: 'Listed',
    summary: 'List networks to connect',
    description:
      'The networks this server can connect to, each with a connectUrl. Give the address to the user: connecting happens in their browser.',
    input: Empty,
    output: z.object({ providers: z.array(Provider).describe('One entry per network') }),
    errors: [],
    examples: [
      {
        title: 'A sandbox network',
        input: {},
        output: {
          providers: [
            {
              network: 'bluesky',
              provider: 'Bluesky',
              badge: { code: 'Bs', color: '#0A73D1' },
              connectUrl: 'http://localhost:3000/connect/bluesky',
              configured: false,
              sandbox: true,
            },
          ],
        },
      },
    ],
  }),
};
