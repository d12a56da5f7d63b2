import { z } from 'zod';
import type { Documented } from '#server/networks/sandbox';

/** From Mastodon's documented methods and entities, as of server 4.5. */

const id = z.string().min(1);
const count = z.int().min(0);
const visibility = z.enum(['public', 'unlisted', 'private', 'direct']);

const Account = z.strictObject({
  id,
  username: z.string(),
  acct: z.string(),
  display_name: z.string(),
  url: z.url(),
  uri: z.string().optional(),
  avatar: z.string().optional(),
  avatar_static: z.string().optional(),
  note: z.string().optional(),
  locked: z.boolean().optional(),
  bot: z.boolean().optional(),
  created_at: z.string().optional(),
  followers_count: count.optional(),
  following_count: count.optional(),
  statuses_count: count.optional(),
  source: z.looseObject({}).optional(),
});
const Attachment = z.strictObject({
  id,
  type: z.enum(['unknown', 'image', 'gifv', 'video', 'audio']),
  url: z.string().nullish(),
  preview_url: z.string().nullish(),
  remote_url: z.string().nullish(),
  meta: z.looseObject({}).nullish(),
  description: z.string().nullish(),
  blurhash: z.string().nullish(),
});
const Poll = z.strictObject({
  id,
  expires_at: z.string().nullish(),
  expired: z.boolean(),
  multiple: z.boolean(),
  votes_count: count,
  voters_count: count.nullish(),
  options: z.array(z.strictObject({ title: z.string(), votes_count: count.nullish() })),
  emojis: z.array(z.looseObject({})).optional(),
  voted: z.boolean().optional(),
  own_votes: z.array(z.int()).optional(),
});
const Status = z.strictObject({
  id,
  uri: z.string(),
  url: z.string().nullish(),
  created_at: z.iso.datetime(),
  edited_at: z.iso.datetime().nullish(),
  in_reply_to_id: id.nullish(),
  in_reply_to_account_id: id.nullish(),
  account: Account,
  content: z.string(),
  text: z.string().nullish(),
  visibility,
  sensitive: z.boolean(),
  spoiler_text: z.string(),
  language: z.string().nullish(),
  media_attachments: z.array(Attachment),
  mentions: z.array(z.looseObject({ id, username: z.string(), acct: z.string() })),
  tags: z.array(z.looseObject({ name: z.string() })),
  emojis: z.array(z.looseObject({ shortcode: z.string() })),
  reblog: z.looseObject({ id }).nullish(),
  favourites_count: count,
  replies_count: count,
  reblogs_count: count,
  quotes_count: count.optional(),
  poll: Poll.nullish(),
  quote: z.looseObject({ state: z.string() }).nullish(),
  quote_approval: z.looseObject({}).optional(),
  application: z.looseObject({}).nullish(),
  card: z.looseObject({}).nullish(),
});

const Configuration = z.strictObject({
  statuses: z.strictObject({
    max_characters: count,
    max_media_attachments: count,
    characters_reserved_per_url: count,
  }),
  media_attachments: z.strictObject({
    supported_mime_types: z.array(z.string()),
    description_limit: count.optional(),
    image_size_limit: count,
    image_matrix_limit: count.optional(),
    video_size_limit: count,
    video_frame_rate_limit: count.optional(),
    video_matrix_limit: count.optional(),
  }),
  polls: z
    .strictObject({
      max_options: count,
      max_characters_per_option: count,
      min_expiration: count,
      max_expiration: count,
    })
    .optional(),
  accounts: z.looseObject({}).optional(),
  translation: z.looseObject({}).optional(),
  urls: z.looseObject({}).optional(),
});
const instance = {
  title: z.string(),
  version: z.string(),
  configuration: Configuration,
  api_versions: z.strictObject({ mastodon: count }).optional(),
};

export const documented: Documented = {
  error: z.strictObject({ error: z.string(), error_description: z.string().optional() }),
  calls: [
    {
      call: 'POST server/api/v1/apps',
      body: z.strictObject({
        client_name: z.string(),
        redirect_uris: z.union([z.string(), z.array(z.string())]),
        scopes: z.string().optional(),
        website: z.string().optional(),
      }),
      answer: z.strictObject({
        id,
        name: z.string(),
        website: z.string().nullish(),
        scopes: z.array(z.string()).optional(),
        redirect_uri: z.string().optional(),
        redirect_uris: z.array(z.string()).optional(),
        client_id: z.string(),
        client_secret: z.string(),
        client_secret_expires_at: z.int().optional(),
      }),
    },
    {
      call: 'POST server/oauth/token',
      body: z.strictObject({
        grant_type: z.enum(['authorization_code', 'client_credentials']),
        code: z.string().optional(),
        client_id: z.string(),
        client_secret: z.string(),
        redirect_uri: z.string(),
        code_verifier: z.string().optional(),
        scope: z.string().optional(),
      }),
      answer: z.strictObject({
        access_token: z.string(),
        token_type: z.literal('Bearer'),
        scope: z.string(),
        created_at: z.int(),
      }),
    },
    {
      call: 'POST server/oauth/revoke',
      body: z.strictObject({ client_id: z.string(), client_secret: z.string(), token: z.string() }),
      answer: z.strictObject({}),
    },
    { call: 'GET server/api/v1/accounts/verify_credentials', answer: Account },
    { call: 'GET server/api/v1/instance', answer: z.strictObject({ uri: z.string(), ...instance }) },
    { call: 'GET server/api/v2/instance', answer: z.strictObject({ domain: z.string(), ...instance }) },
    {
      call: 'GET server/api/v2/search',
      query: z.strictObject({
        q: z.string(),
        type: z.enum(['accounts', 'hashtags', 'statuses']).optional(),
        resolve: z.enum(['true', 'false']).optional(),
        limit: z.coerce.number().int().max(40).optional(),
      }),
      answer: z.strictObject({
        accounts: z.array(Account),
        statuses: z.array(Status),
        hashtags: z.array(z.looseObject({})),
      }),
    },
    {
      call: 'POST server/api/v2/media',
      body: z.strictObject({
        file: z.literal(true),
        thumbnail: z.literal(true).optional(),
        description: z.string().optional(),
        focus: z
          .string()
          .regex(/^-?[\d.]+,-?[\d.]+$/)
          .optional(),
      }),
      answer: Attachment,
    },
    { call: 'GET server/api/v1/media/:id', answer: Attachment },
    {
      call: 'POST server/api/v1/statuses',
      body: z.strictObject({
        status: z.string().optional(),
        media_ids: z.array(id).optional(),
        poll: z
          .strictObject({
            options: z.array(z.string()).min(2),
            expires_in: z.int(),
            multiple: z.boolean().optional(),
            hide_totals: z.boolean().optional(),
          })
          .optional(),
        in_reply_to_id: id.optional(),
        sensitive: z.boolean().optional(),
        spoiler_text: z.string().optional(),
        visibility: visibility.optional(),
        language: z.string().optional(),
        quoted_status_id: id.optional(),
        quote_approval_policy: z.enum(['public', 'followers', 'nobody']).optional(),
      }),
      answer: Status,
    },
    { call: 'GET server/api/v1/statuses/:id', answer: Status },
    {
      call: 'PUT server/api/v1/statuses/:id',
      body: z.strictObject({
        status: z.string().optional(),
        spoiler_text: z.string().optional(),
        sensitive: z.boolean().optional(),
        language: z.string().optional(),
        media_ids: z.array(id).optional(),
      }),
      answer: Status,
    },
    {
      call: 'GET server/api/v1/accounts/:id/statuses',
      query: z.strictObject({
        max_id: id.optional(),
        limit: z.coerce.number().int().min(1).max(40).optional(),
        exclude_reblogs: z.enum(['true', 'false']).optional(),
        only_media: z.enum(['true', 'false']).optional(),
      }),
      answer: z.array(Status),
    },
  ],
};
