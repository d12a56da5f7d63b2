import { z } from 'zod';
import type { Documented } from '#server/networks/sandbox';

/** From Pinterest's OpenAPI description, 5.23. */

const id = z.string().regex(/^\d+$/);
const text = (max: number) => z.string().max(max).nullish();

const itemTexts = { title: text(100), description: text(800), link: text(2048) };
const Image = z.strictObject({
  ...itemTexts,
  content_type: z.enum(['image/jpeg', 'image/png']),
  data: z.base64(),
});
const Cover = {
  cover_image_url: z.url().optional(),
  cover_image_content_type: z.enum(['image/jpeg', 'image/png']).optional(),
  cover_image_data: z.base64().optional(),
  cover_image_key_frame_time: z.number().min(0).optional(),
};
const MediaSource = z.discriminatedUnion('source_type', [
  z.strictObject({
    source_type: z.literal('image_base64'),
    content_type: z.enum(['image/jpeg', 'image/png']),
    data: z.base64(),
    is_standard: z.boolean().optional(),
  }),
  z.strictObject({
    source_type: z.literal('multiple_image_base64'),
    items: z.array(Image).min(2).max(5),
    index: z.int().min(0).optional(),
  }),
  z.strictObject({ source_type: z.literal('image_url'), url: z.url(), is_standard: z.boolean().optional() }),
  z.strictObject({
    source_type: z.literal('multiple_image_urls'),
    items: z
      .array(z.strictObject({ ...itemTexts, url: z.url() }))
      .min(2)
      .max(5),
    index: z.int().min(0).optional(),
  }),
  z.strictObject({
    source_type: z.literal('video_id'),
    media_id: id,
    is_standard: z.boolean().optional(),
    ...Cover,
  }),
]);

const texts = {
  title: text(100),
  description: text(800),
  link: text(2048),
  alt_text: text(500),
  dominant_color: z.string().nullish(),
};
const Pin = z.strictObject({
  id,
  created_at: z.string(),
  board_id: id.nullish(),
  board_section_id: id.nullish(),
  ...texts,
  media: z.looseObject({}).nullish(),
});
const page = <Entry extends z.ZodType>(entry: Entry) =>
  z.strictObject({ items: z.array(entry), bookmark: z.string().nullish() });
const paged = z.strictObject({
  page_size: z.coerce.number().int().min(1).max(250).optional(),
  bookmark: z.string().optional(),
});

const metric = z.enum(['IMPRESSION', 'PIN_CLICK', 'OUTBOUND_CLICK', 'SAVE', 'SAVE_RATE', 'TOTAL_COMMENTS']);
const Numbers = z.partialRecord(metric, z.number());
const date = z.iso.date();

const production: Documented['calls'] = [
  { call: 'DELETE api/v5/pins/:id' },
  {
    call: 'POST api/v5/oauth/token',
    body: z.strictObject({
      grant_type: z.enum(['authorization_code', 'refresh_token', 'client_credentials']),
      code: z.string().optional(),
      redirect_uri: z.string().optional(),
      continuous_refresh: z.enum(['true', 'false']).optional(),
      refresh_token: z.string().optional(),
      scope: z.string().optional(),
    }),
    answer: z.strictObject({
      response_type: z.enum(['authorization_code', 'refresh_token']).optional(),
      access_token: z.string(),
      token_type: z.literal('bearer'),
      expires_in: z.int(),
      scope: z.string(),
      refresh_token: z.string().optional(),
      refresh_token_expires_in: z.int().optional(),
      refresh_token_expires_at: z.int().optional(),
    }),
  },
  {
    call: 'GET api/v5/user_account',
    answer: z.strictObject({
      id,
      username: z.string(),
      account_type: z.enum(['PINNER', 'BUSINESS']),
      business_name: z.string().nullish(),
      profile_image: z.string().nullish(),
      website_url: z.string().nullish(),
      about: z.string().nullish(),
      board_count: z.int().optional(),
      pin_count: z.int().optional(),
      follower_count: z.int().optional(),
      following_count: z.int().optional(),
      monthly_views: z.int().optional(),
    }),
  },
  {
    call: 'GET api/v5/boards',
    query: paged,
    answer: page(
      z.strictObject({
        id,
        name: z.string(),
        description: z.string().nullish(),
        owner: z.strictObject({ username: z.string() }).optional(),
        privacy: z.enum(['PUBLIC', 'PROTECTED', 'SECRET']).optional(),
      }),
    ),
  },
  {
    call: 'GET api/v5/boards/:board/sections',
    query: paged,
    answer: page(z.strictObject({ id, name: z.string() })),
  },
  { call: 'GET api/v5/boards/:board/pins', query: paged, answer: page(Pin) },
  { call: 'GET api/v5/boards/:board/sections/:section/pins', query: paged, answer: page(Pin) },
  {
    call: 'POST api/v5/media',
    body: z.strictObject({ media_type: z.literal('video') }),
    answer: z.strictObject({
      media_id: id,
      media_type: z.literal('video'),
      upload_url: z.url(),
      upload_parameters: z.record(z.string(), z.string()),
    }),
  },
  // The upload host, which is not Pinterest: it expects the signed fields and the file.
  { call: 'POST api/upload', body: z.looseObject({ file: z.literal(true) }) },
  {
    call: 'GET api/v5/media/:id',
    answer: z.strictObject({
      media_id: id,
      media_type: z.literal('video'),
      status: z.enum(['registered', 'processing', 'succeeded', 'failed']),
    }),
  },
  {
    call: 'POST api/v5/pins',
    body: z.strictObject({
      board_id: id,
      board_section_id: id.optional(),
      ...texts,
      media_source: MediaSource,
      note: z.string().nullish(),
      sponsor_id: id.optional(),
    }),
    answer: Pin,
  },
  { call: 'GET api/v5/pins/:id', answer: Pin },
  {
    call: 'PATCH api/v5/pins/:id',
    body: z.strictObject({ board_id: id.optional(), board_section_id: id.nullish(), ...texts }),
    answer: Pin,
  },
  {
    call: 'GET api/v5/pins/:id/analytics',
    query: z.strictObject({
      start_date: date,
      end_date: date,
      metric_types: z.string().refine((list) => list.split(',').every((one) => metric.safeParse(one).success)),
      app_types: z.enum(['ALL', 'MOBILE', 'TABLET', 'WEB']).optional(),
    }),
    answer: z.strictObject({
      all: z.strictObject({
        summary_metrics: Numbers,
        lifetime_metrics: Numbers.optional(),
        daily_metrics: z
          .array(
            z.strictObject({
              date,
              data_status: z.enum(['PROCESSING', 'READY', 'ESTIMATE', 'BEFORE_BUSINESS_CREATED']),
              metrics: Numbers.optional(),
            }),
          )
          .optional(),
      }),
    }),
  },
];

/** Pinterest's own sandbox, for apps with Trial access, has the same calls. */
const trial = production.map((one) => ({ ...one, call: one.call.replace(' api/', ' trial/') }));

export const documented: Documented = {
  error: z.strictObject({ code: z.int(), message: z.string() }),
  calls: [...production, ...trial],
};
