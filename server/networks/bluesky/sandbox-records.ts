import { z } from 'zod';
import { countGraphemes, utf8Bytes } from '#server/networks/counting';

/** What the sandbox accepts, by the lexicons. Bluesky keeps fields it does not know; here they are refused as mistakes. */

const did = z.string().regex(/^did:[a-z]+:[a-zA-Z0-9._:%-]+$/);
const atUri = z.string().regex(/^at:\/\/did:[a-z]+:[^/]+\/[a-zA-Z.]+\/[a-z2-7]{13}$/);
const instant = z.iso.datetime({ offset: true });
const StrongRef = z.strictObject({ uri: atUri, cid: z.string().min(1) });
const Blob = z.strictObject({
  $type: z.literal('blob'),
  ref: z.strictObject({ $link: z.string() }),
  mimeType: z.string(),
  size: z.int(),
});
export type Blob = z.output<typeof Blob>;
const AspectRatio = z.strictObject({ width: z.int().min(1), height: z.int().min(1) });

const within = (maxGraphemes: number, maxBytes: number) =>
  z
    .string()
    .refine((text) => utf8Bytes(text) <= maxBytes, { error: `string too big (maximum ${maxBytes})` })
    .refine((text) => countGraphemes(text) <= maxGraphemes, { error: `grapheme too big (maximum ${maxGraphemes})` });

const Attached = z.discriminatedUnion('$type', [
  z.strictObject({
    $type: z.literal('app.bsky.embed.images'),
    images: z.array(z.strictObject({ image: Blob, alt: z.string(), aspectRatio: AspectRatio.optional() })).max(4),
  }),
  z.strictObject({
    $type: z.literal('app.bsky.embed.gallery'),
    items: z
      .array(
        z.strictObject({
          $type: z.literal('app.bsky.embed.gallery#image'),
          image: Blob,
          alt: z.string(),
          aspectRatio: AspectRatio,
        }),
      )
      .max(20),
  }),
  z.strictObject({
    $type: z.literal('app.bsky.embed.video'),
    video: Blob,
    alt: within(1_000, 10_000).optional(),
    captions: z
      .array(z.strictObject({ lang: z.string().regex(/^[a-z]{2,3}(-[a-zA-Z0-9]+)*$/), file: Blob }))
      .max(20)
      .optional(),
    aspectRatio: AspectRatio.optional(),
    presentation: z.enum(['default', 'gif']).optional(),
  }),
  z.strictObject({
    $type: z.literal('app.bsky.embed.external'),
    external: z.strictObject({ uri: z.url(), title: z.string(), description: z.string(), thumb: Blob.optional() }),
  }),
]);

const Quoted = z.strictObject({ $type: z.literal('app.bsky.embed.record'), record: StrongRef });

const Embed = z.discriminatedUnion('$type', [
  ...Attached.options,
  Quoted,
  z.strictObject({
    $type: z.literal('app.bsky.embed.recordWithMedia'),
    record: Quoted,
    media: Attached,
  }),
]);

const Facet = z.strictObject({
  $type: z.literal('app.bsky.richtext.facet').optional(),
  index: z.strictObject({ byteStart: z.int().min(0), byteEnd: z.int().min(0) }),
  features: z.array(
    z.discriminatedUnion('$type', [
      z.strictObject({ $type: z.literal('app.bsky.richtext.facet#link'), uri: z.url() }),
      z.strictObject({ $type: z.literal('app.bsky.richtext.facet#tag'), tag: within(64, 640) }),
      z.strictObject({ $type: z.literal('app.bsky.richtext.facet#mention'), did }),
    ]),
  ),
});

const PostRecord = z.strictObject({
  $type: z.literal('app.bsky.feed.post'),
  text: within(300, 3_000),
  createdAt: instant,
  langs: z
    .array(z.string().regex(/^[a-z]{2,3}(-[a-zA-Z0-9]+)*$/))
    .max(3)
    .optional(),
  facets: z.array(Facet).optional(),
  reply: z.strictObject({ root: StrongRef, parent: StrongRef }).optional(),
  embed: Embed.optional(),
  labels: z
    .strictObject({
      $type: z.literal('com.atproto.label.defs#selfLabels'),
      values: z.array(z.strictObject({ val: z.enum(['sexual', 'nudity', 'porn', 'graphic-media']) })).max(10),
    })
    .optional(),
});
export type PostRecord = z.output<typeof PostRecord>;

const rule = (name: string) => z.strictObject({ $type: z.literal(`app.bsky.feed.threadgate#${name}`) });
const Threadgate = z.strictObject({
  $type: z.literal('app.bsky.feed.threadgate'),
  post: atUri,
  createdAt: instant,
  allow: z
    .array(z.union([rule('mentionRule'), rule('followerRule'), rule('followingRule')]))
    .max(5)
    .optional(),
});
const Postgate = z.strictObject({
  $type: z.literal('app.bsky.feed.postgate'),
  post: atUri,
  createdAt: instant,
  embeddingRules: z
    .array(z.strictObject({ $type: z.literal('app.bsky.feed.postgate#disableRule') }))
    .max(5)
    .optional(),
});

const recordKey = z.string().regex(/^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/);

const create = <Value extends z.ZodType>(collection: string, value: Value) =>
  z.strictObject({
    $type: z.literal('com.atproto.repo.applyWrites#create'),
    collection: z.literal(collection),
    rkey: recordKey,
    value,
  });

export const Writes = z.object({
  repo: z.string(),
  writes: z.tuple(
    [create('app.bsky.feed.post', PostRecord)],
    z.union([create('app.bsky.feed.threadgate', Threadgate), create('app.bsky.feed.postgate', Postgate)]),
  ),
});

/** What is shown below the text, without a quoted post. */
export const attachedOf = ({ embed }: PostRecord): z.output<typeof Attached> | undefined => {
  if (embed?.$type === 'app.bsky.embed.record') return undefined;
  return embed?.$type === 'app.bsky.embed.recordWithMedia' ? embed.media : embed;
};

export const quotedOf = ({ embed }: PostRecord): z.output<typeof StrongRef> | undefined => {
  if (embed?.$type === 'app.bsky.embed.record') return embed.record;
  return embed?.$type === 'app.bsky.embed.recordWithMedia' ? embed.record.record : undefined;
};

export const blobsOf = (record: PostRecord): Blob[] => {
  const attached = attachedOf(record);
  if (attached?.$type === 'app.bsky.embed.images') return attached.images.map(({ image }) => image);
  if (attached?.$type === 'app.bsky.embed.gallery') return attached.items.map(({ image }) => image);
  return attached?.$type === 'app.bsky.embed.video' ? [attached.video] : [];
};

/** Files with rules of their own: the picture of a card, captions. */
export const smallBlobsOf = (record: PostRecord): { blob: Blob; type: string; maxBytes: number }[] => {
  const attached = attachedOf(record);
  if (attached?.$type === 'app.bsky.embed.external' && attached.external.thumb) {
    return [{ blob: attached.external.thumb, type: 'image/', maxBytes: 1_000_000 }];
  }
  if (attached?.$type !== 'app.bsky.embed.video') return [];
  return (attached.captions ?? []).map(({ file }) => ({ blob: file, type: 'text/vtt', maxBytes: 20_000 }));
};

/** Bluesky would show them in the wrong place. */
export const areFacetsInside = ({ text, facets = [] }: PostRecord): boolean => {
  const bytes = Buffer.from(text);
  const isInsideCharacter = (at: number) => ((bytes[at] ?? 0) & 0xc0) === 0x80;
  return facets.every(
    ({ index: { byteStart, byteEnd } }) =>
      byteStart < byteEnd && byteEnd <= bytes.length && !isInsideCharacter(byteStart) && !isInsideCharacter(byteEnd),
  );
};
