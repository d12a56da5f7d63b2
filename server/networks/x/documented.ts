import { z } from 'zod';
import type { Documented } from '#server/networks/sandbox';

/** From X's OpenAPI description, 2.166, and the names that 2.167 of August 2026 gives to fields of posts. */

const id = z.string().regex(/^\d{1,19}$/);
const Problem = z.strictObject({
  title: z.string(),
  detail: z.string().optional(),
  type: z.string().optional(),
  status: z.int().optional(),
  value: z.string().optional(),
  parameter: z.string().optional(),
  resource_id: z.string().optional(),
  resource_type: z.string().optional(),
  errors: z.array(z.looseObject({ message: z.string() })).optional(),
});
const errors = z.array(Problem).optional();

const Tokens = z.strictObject({
  token_type: z.literal('bearer'),
  expires_in: z.int(),
  access_token: z.string(),
  scope: z.string(),
  refresh_token: z.string().optional(),
});

const ProcessingInfo = z.strictObject({
  state: z.enum(['pending', 'in_progress', 'succeeded', 'failed']),
  check_after_secs: z.int().optional(),
  progress_percent: z.int().optional(),
  error: z.looseObject({ message: z.string().optional() }).optional(),
});
const Upload = z.strictObject({
  data: z.strictObject({
    id,
    media_key: z.string().optional(),
    expires_after_secs: z.int().optional(),
    size: z.int().optional(),
    processing_info: ProcessingInfo.optional(),
  }),
  errors,
});

const replySettings = z.enum(['following', 'mentionedUsers', 'subscribers', 'verified']);
const NewPost = z.strictObject({
  text: z.string().optional(),
  media: z
    .strictObject({ media_ids: z.array(id).min(1).max(4), tagged_user_ids: z.array(id).max(10).optional() })
    .optional(),
  poll: z
    .strictObject({
      options: z.array(z.string().min(1).max(25)).min(2).max(4),
      duration_minutes: z.int().min(5).max(10_080),
      reply_settings: replySettings.optional(),
    })
    .optional(),
  quote_tweet_id: id.optional(),
  reply: z
    .strictObject({
      in_reply_to_tweet_id: id,
      auto_populate_reply_metadata: z.boolean().optional(),
      exclude_reply_user_ids: z.array(id).optional(),
    })
    .optional(),
  reply_settings: replySettings.optional(),
  community_id: id.optional(),
  share_with_followers: z.boolean().optional(),
  made_with_ai: z.boolean().optional(),
  paid_partnership: z.boolean().optional(),
  geo: z.strictObject({ place_id: z.string() }).optional(),
  nullcast: z.boolean().optional(),
});

const count = z.int().min(0);
const Entities = z.looseObject({
  urls: z
    .array(z.looseObject({ url: z.string(), expanded_url: z.string().optional(), media_key: z.string().optional() }))
    .optional(),
});
const WholeText = z.looseObject({ text: z.string().optional(), entities: Entities.optional() });
const metrics = {
  impression_count: count,
  like_count: count,
  reply_count: count,
  quote_count: count.optional(),
  bookmark_count: count,
};
const Post = z.strictObject({
  id,
  text: z.string(),
  created_at: z.iso.datetime().optional(),
  edit_history_tweet_ids: z.array(id).optional(),
  note_tweet: WholeText.optional(),
  note_post: WholeText.optional(),
  entities: Entities.optional(),
  attachments: z
    .strictObject({ media_keys: z.array(z.string()).optional(), poll_ids: z.array(id).optional() })
    .optional(),
  public_metrics: z
    .union([z.strictObject({ ...metrics, retweet_count: count }), z.strictObject({ ...metrics, repost_count: count })])
    .optional(),
});

const User = z.strictObject({
  id,
  name: z.string(),
  username: z.string(),
  profile_image_url: z.string().optional(),
  verified: z.boolean().optional(),
  verified_type: z.enum(['blue', 'government', 'business', 'none']).optional(),
  subscription_type: z.enum(['Basic', 'Premium', 'PremiumPlus', 'None']).optional(),
});

const Community = z.strictObject({
  id,
  name: z.string().optional(),
  description: z.string().optional(),
  member_count: z.int().optional(),
  access: z.string().optional(),
  join_policy: z.string().optional(),
  created_at: z.string().optional(),
});

/** A file is a form part, or base64 in a JSON body. */
const file = z.literal(true).or(z.base64());

const fields = (...names: string[]) => z.string().refine((text) => text.split(',').every((one) => names.includes(one)));
const userFields = fields('profile_image_url', 'name', 'username', 'verified', 'verified_type', 'subscription_type');
const communityFields = fields(...Object.keys(Community.shape));
const postFields = ['created_at', 'text', 'public_metrics', 'attachments', 'entities'];
/** One of the two, never both. */
const eitherSpelling = (query: z.core.$ZodLooseShape) =>
  z.union([
    z.strictObject({ ...query, 'tweet.fields': fields(...postFields, 'note_tweet').optional() }),
    z.strictObject({ ...query, 'post.fields': fields(...postFields, 'note_post').optional() }),
  ]);

export const documented: Documented = {
  error: z.union([Problem, z.strictObject({ error: z.string(), error_description: z.string().optional() })]),
  calls: [
    {
      call: 'POST api/2/oauth2/token',
      body: z.strictObject({
        grant_type: z.enum(['authorization_code', 'refresh_token']),
        code: z.string().optional(),
        redirect_uri: z.string().optional(),
        code_verifier: z.string().optional(),
        refresh_token: z.string().optional(),
        client_id: z.string().optional(),
      }),
      answer: Tokens,
    },
    {
      call: 'POST api/2/oauth2/revoke',
      body: z.strictObject({ token: z.string(), client_id: z.string().optional() }),
      answer: z.strictObject({ revoked: z.boolean() }),
    },
    {
      call: 'GET api/2/users/me',
      query: z.strictObject({ 'user.fields': userFields.optional() }),
      answer: z.strictObject({ data: User, errors }),
    },
    {
      call: 'GET api/2/users/by',
      query: z.strictObject({ usernames: z.string(), 'user.fields': userFields.optional() }),
      answer: z.strictObject({ data: z.array(User).optional(), errors }),
    },
    {
      call: 'GET api/2/users/by/username/:username',
      query: z.strictObject({ 'user.fields': userFields.optional() }),
      answer: z.strictObject({ data: User.optional(), errors }),
    },
    {
      call: 'GET api/2/communities/search',
      query: z.strictObject({
        query: z.string().min(1).max(4_096),
        max_results: z.coerce.number().int().min(10).max(100).optional(),
        next_token: z.string().optional(),
        pagination_token: z.string().optional(),
        'community.fields': communityFields.optional(),
      }),
      answer: z.strictObject({
        data: z.array(Community).optional(),
        meta: z.strictObject({ next_token: z.string().optional() }).optional(),
        errors,
      }),
    },
    {
      call: 'GET api/2/communities/:id',
      query: z.strictObject({ 'community.fields': communityFields.optional() }),
      answer: z.strictObject({ data: Community.optional(), errors }),
    },
    {
      // The current description has no media_type here.
      call: 'POST api/2/media/upload',
      body: z.strictObject({
        media: file,
        media_category: z.enum(['tweet_image', 'dm_image', 'subtitles']),
        additional_owners: z.string().optional(),
        shared: z.string().optional(),
      }),
      answer: Upload,
    },
    {
      call: 'GET api/2/media/upload',
      query: z.strictObject({ command: z.literal('STATUS'), media_id: id }),
      answer: Upload,
    },
    {
      call: 'POST api/2/media/upload/initialize',
      body: z.strictObject({
        media_type: z.string(),
        total_bytes: z.int().min(0),
        media_category: z.enum(['tweet_gif', 'tweet_video', 'tweet_image', 'amplify_video', 'subtitles']),
        additional_owners: z.array(id).optional(),
        shared: z.boolean().optional(),
      }),
      answer: Upload,
    },
    {
      call: 'POST api/2/media/upload/:id/append',
      body: z.strictObject({ media: file, segment_index: z.coerce.number().int().min(0).max(999) }),
      answer: z.strictObject({ data: z.strictObject({ expires_at: z.int() }).optional(), errors }),
    },
    { call: 'POST api/2/media/upload/:id/finalize', answer: Upload },
    {
      call: 'POST api/2/media/subtitles',
      body: z.strictObject({
        id,
        media_category: z.enum(['AmplifyVideo', 'TweetVideo']),
        subtitles: z.strictObject({
          id,
          language_code: z.string().regex(/^[A-Z]{2}$/),
          display_name: z.string().optional(),
        }),
      }),
      answer: z.strictObject({
        data: z.strictObject({
          id,
          media_category: z.string(),
          associated_subtitles: z.array(z.looseObject({})).or(z.looseObject({})),
        }),
        errors,
      }),
    },
    {
      call: 'POST api/2/media/metadata',
      body: z.strictObject({
        id,
        metadata: z.strictObject({ alt_text: z.strictObject({ text: z.string().max(1000) }) }),
      }),
      answer: z.strictObject({
        data: z.strictObject({ id, associated_metadata: z.looseObject({}).optional() }),
        errors,
      }),
    },
    { call: 'POST api/2/tweets', body: NewPost, answer: z.strictObject({ data: Post, errors }) },
    {
      call: 'DELETE api/2/tweets/:id',
      answer: z.strictObject({ data: z.strictObject({ deleted: z.boolean() }), errors }),
    },
    {
      call: 'GET api/2/tweets',
      query: eitherSpelling({ ids: z.string() }),
      answer: z.strictObject({ data: z.array(Post).optional(), errors }),
    },
    {
      call: 'GET api/2/tweets/:id',
      query: eitherSpelling({}),
      answer: z.strictObject({ data: Post.optional(), errors }),
    },
    {
      call: 'GET api/2/users/:id/tweets',
      query: eitherSpelling({
        max_results: z.coerce.number().int().min(5).max(100).optional(),
        start_time: z.iso.datetime({ precision: 0 }).optional(),
        pagination_token: z.string().optional(),
      }),
      answer: z.strictObject({
        data: z.array(Post).optional(),
        meta: z.strictObject({
          result_count: z.int(),
          next_token: z.string().optional(),
          previous_token: z.string().optional(),
          newest_id: id.optional(),
          oldest_id: id.optional(),
        }),
        errors,
      }),
    },
  ],
};
