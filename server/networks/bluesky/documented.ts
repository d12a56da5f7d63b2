import { z } from 'zod';
import type { Documented } from '#server/networks/sandbox';

/** From the lexicons of atproto and Bluesky. The protocol allows additional fields in a record; we send none. */

const did = z.string().regex(/^did:(plc|web):[\w.:%-]+$/);
const cid = z.string().regex(/^b[a-z2-7]+$/);
const atUri = z.string().startsWith('at://');
const instant = z.iso.datetime({ offset: true });
const recordKey = z.string().regex(/^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/);
const StrongRef = z.strictObject({ uri: atUri, cid });
const Blob = z.strictObject({
  $type: z.literal('blob'),
  ref: z.strictObject({ $link: cid }),
  mimeType: z.string(),
  size: z.int().min(1),
});
const aspectRatio = z.strictObject({ width: z.int().min(1), height: z.int().min(1) }).optional();

const Images = z.strictObject({
  $type: z.literal('app.bsky.embed.images'),
  images: z
    .array(z.strictObject({ image: Blob, alt: z.string(), aspectRatio }))
    .min(1)
    .max(4),
});
const Gallery = z.strictObject({
  $type: z.literal('app.bsky.embed.gallery'),
  items: z
    .array(
      z.strictObject({
        $type: z.literal('app.bsky.embed.gallery#image'),
        image: Blob,
        alt: z.string(),
        aspectRatio: aspectRatio.unwrap(),
      }),
    )
    .max(20),
});
const Video = z.strictObject({
  $type: z.literal('app.bsky.embed.video'),
  video: Blob,
  captions: z
    .array(z.strictObject({ lang: z.string(), file: Blob }))
    .max(20)
    .optional(),
  alt: z.string().optional(),
  aspectRatio,
  presentation: z.enum(['default', 'gif']).optional(),
});
const External = z.strictObject({
  $type: z.literal('app.bsky.embed.external'),
  external: z.strictObject({ uri: z.url(), title: z.string(), description: z.string(), thumb: Blob.optional() }),
});
const Quote = z.strictObject({ $type: z.literal('app.bsky.embed.record'), record: StrongRef });
const QuoteWithMedia = z.strictObject({
  $type: z.literal('app.bsky.embed.recordWithMedia'),
  record: z.strictObject({ $type: z.literal('app.bsky.embed.record').optional(), record: StrongRef }),
  media: z.discriminatedUnion('$type', [Images, Gallery, Video, External]),
});

const feature = <Name extends string>(name: Name, fields: z.ZodRawShape) =>
  z.strictObject({ $type: z.literal(`app.bsky.richtext.facet#${name}`), ...fields });
const Facet = z.strictObject({
  $type: z.literal('app.bsky.richtext.facet').optional(),
  index: z.strictObject({ byteStart: z.int().min(0), byteEnd: z.int().min(0) }),
  features: z.array(
    z.union([
      feature('mention', { did }),
      feature('link', { uri: z.url() }),
      feature('tag', { tag: z.string().min(1) }),
    ]),
  ),
});

const Post = z.strictObject({
  $type: z.literal('app.bsky.feed.post'),
  text: z.string(),
  createdAt: instant,
  langs: z.array(z.string()).max(3).optional(),
  tags: z.array(z.string()).max(8).optional(),
  facets: z.array(Facet).optional(),
  reply: z.strictObject({ root: StrongRef, parent: StrongRef }).optional(),
  embed: z.discriminatedUnion('$type', [Images, Gallery, Video, External, Quote, QuoteWithMedia]).optional(),
  labels: z
    .strictObject({
      $type: z.literal('com.atproto.label.defs#selfLabels'),
      values: z.array(z.strictObject({ val: z.string() })).max(10),
    })
    .optional(),
});
const gateRule = (name: string) => z.strictObject({ $type: z.literal(`app.bsky.feed.threadgate#${name}`) });
const Threadgate = z.strictObject({
  $type: z.literal('app.bsky.feed.threadgate'),
  post: atUri,
  allow: z
    .array(z.union(['mentionRule', 'followerRule', 'followingRule'].map(gateRule)))
    .max(5)
    .optional(),
  hiddenReplies: z.array(atUri).max(300).optional(),
  createdAt: instant,
});
const Postgate = z.strictObject({
  $type: z.literal('app.bsky.feed.postgate'),
  post: atUri,
  embeddingRules: z
    .array(z.strictObject({ $type: z.literal('app.bsky.feed.postgate#disableRule') }))
    .max(5)
    .optional(),
  detachedEmbeddingUris: z.array(atUri).max(50).optional(),
  createdAt: instant,
});
const created = <Value extends z.ZodType>(collection: string, value: Value) =>
  z.strictObject({
    $type: z.literal('com.atproto.repo.applyWrites#create'),
    collection: z.literal(collection),
    rkey: recordKey,
    value,
  });

const Session = z.strictObject({
  did,
  handle: z.string(),
  accessJwt: z.string(),
  refreshJwt: z.string(),
  didDoc: z.looseObject({ id: did }).optional(),
  email: z.string().optional(),
  emailConfirmed: z.boolean().optional(),
  emailAuthFactor: z.boolean().optional(),
  active: z.boolean().optional(),
  status: z.enum(['takendown', 'suspended', 'deactivated']).optional(),
});
const JobStatus = z.strictObject({
  jobId: z.string(),
  did,
  state: z.string().startsWith('JOB_STATE_'),
  progress: z.int().min(0).max(100).optional(),
  blob: Blob.optional(),
  error: z.string().optional(),
  failureCode: z.string().optional(),
  message: z.string().optional(),
});
const count = z.int().min(0).optional();
const PostView = z.strictObject({
  uri: atUri,
  cid,
  author: z.looseObject({ did, handle: z.string() }).optional(),
  record: Post,
  embed: z.looseObject({ $type: z.string() }).optional(),
  replyCount: count,
  repostCount: count,
  likeCount: count,
  quoteCount: count,
  bookmarkCount: count,
  indexedAt: instant,
  viewer: z.looseObject({}).optional(),
  labels: z.array(z.looseObject({})).optional(),
  threadgate: z.looseObject({}).optional(),
});

export const documented: Documented = {
  // For an upload it already knows, the video service answers with its job. The link card service has its own error
  // format.
  error: z.union([
    z.strictObject({ error: z.string(), message: z.string().optional() }),
    JobStatus,
    z.looseObject({ error: z.string(), likely_type: z.string() }),
  ]),
  calls: [
    {
      call: 'POST pds/xrpc/com.atproto.server.createSession',
      body: z.strictObject({
        identifier: z.string(),
        password: z.string(),
        authFactorToken: z.string().optional(),
        allowTakendown: z.boolean().optional(),
      }),
      answer: Session,
    },
    { call: 'POST pds/xrpc/com.atproto.server.refreshSession', answer: Session },
    { call: 'POST pds/xrpc/com.atproto.server.deleteSession' },
    {
      call: 'GET pds/xrpc/com.atproto.server.getServiceAuth',
      query: z.strictObject({
        aud: z.string().startsWith('did:'),
        exp: z.string().optional(),
        lxm: z.string().optional(),
      }),
      answer: z.strictObject({ token: z.string() }),
    },
    {
      call: 'GET pds/xrpc/com.atproto.identity.resolveHandle',
      query: z.strictObject({ handle: z.string() }),
      answer: z.strictObject({ did }),
    },
    {
      call: 'GET pds/xrpc/app.bsky.actor.getProfile',
      query: z.strictObject({ actor: z.string() }),
      answer: z.strictObject({
        did,
        handle: z.string(),
        displayName: z.string().optional(),
        description: z.string().optional(),
        avatar: z.string().optional(),
        banner: z.string().optional(),
        followersCount: count,
        followsCount: count,
        postsCount: count,
      }),
    },
    { call: 'POST pds/xrpc/com.atproto.repo.uploadBlob', answer: z.strictObject({ blob: Blob }) },
    {
      call: 'POST pds/xrpc/com.atproto.repo.applyWrites',
      body: z.strictObject({
        repo: did,
        validate: z.boolean().optional(),
        writes: z.array(
          z.union([
            created('app.bsky.feed.post', Post),
            created('app.bsky.feed.threadgate', Threadgate),
            created('app.bsky.feed.postgate', Postgate),
          ]),
        ),
        swapCommit: cid.optional(),
      }),
      answer: z.strictObject({
        commit: z.strictObject({ cid, rev: z.string() }).optional(),
        results: z
          .array(
            z.strictObject({
              $type: z.literal('com.atproto.repo.applyWrites#createResult'),
              uri: atUri,
              cid,
              validationStatus: z.enum(['valid', 'unknown']).optional(),
            }),
          )
          .optional(),
      }),
    },
    {
      call: 'POST pds/xrpc/com.atproto.repo.createRecord',
      body: z.strictObject({
        repo: z.string(),
        collection: z.literal('app.bsky.feed.post'),
        rkey: recordKey.optional(),
        validate: z.boolean().optional(),
        record: Post,
        swapCommit: cid.optional(),
      }),
      answer: z.strictObject({
        uri: atUri,
        cid,
        commit: z.strictObject({ cid, rev: z.string() }).optional(),
        validationStatus: z.enum(['valid', 'unknown']).optional(),
      }),
    },
    {
      call: 'GET pds/xrpc/com.atproto.repo.getRecord',
      query: z.strictObject({ repo: z.string(), collection: z.string(), rkey: z.string(), cid: cid.optional() }),
      answer: z.strictObject({ uri: atUri, cid: cid.optional(), value: Post }),
    },
    {
      call: 'GET pds/xrpc/app.bsky.feed.getPosts',
      query: z.strictObject({ uris: z.union([atUri, z.array(atUri).max(25)]) }),
      answer: z.strictObject({ posts: z.array(PostView) }),
    },
    {
      call: 'GET video/xrpc/app.bsky.video.getUploadLimits',
      answer: z.strictObject({
        canUpload: z.boolean(),
        remainingDailyVideos: z.int().optional(),
        remainingDailyBytes: z.int().optional(),
        message: z.string().optional(),
        error: z.string().optional(),
      }),
    },
    {
      call: 'POST video/xrpc/app.bsky.video.uploadVideo',
      query: z.strictObject({ did, name: z.string() }),
      // The service sends the job itself, where the lexicon has it inside jobStatus.
      answer: z.union([JobStatus, z.strictObject({ jobStatus: JobStatus })]),
    },
    {
      call: 'GET video/xrpc/app.bsky.video.getJobStatus',
      query: z.strictObject({ jobId: z.string() }),
      answer: z.strictObject({ jobStatus: JobStatus }),
    },
    // No lexicon: the service that reads pages for Bluesky's own app.
    {
      call: 'GET cards/v1/extract',
      query: z.strictObject({ url: z.string() }),
      answer: z.strictObject({
        error: z.string(),
        likely_type: z.string(),
        url: z.string(),
        title: z.string(),
        description: z.string(),
        image: z.string(),
      }),
    },
    { call: 'GET cards/v1/image', query: z.strictObject({ url: z.string() }), answer: z.unknown() },
  ],
};
