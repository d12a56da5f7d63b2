import { type Response, Router } from 'express';
import { z } from 'zod';
import { googleSignIn, refuse } from '#server/networks/families/google/sandbox';
import type { Json } from '#server/networks/network';
import type { Refusals, Sandbox, SandboxPerson, SandboxPost } from '#server/networks/sandbox';
import { signedInWith } from '#server/networks/shared/signed-in';

/** The Business Profile APIs as their references describe them: accounts and locations (v1), local posts (v4). */

const manage = 'https://www.googleapis.com/auth/business.manage';

const invalid = (res: Response, field: string, message: string, code = 2) =>
  refuse(res, {
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'Request contains an invalid argument.',
    details: [
      {
        '@type': 'type.googleapis.com/google.mybusiness.v4.ValidationError',
        errorDetails: [{ code, field, message }],
      },
    ],
  });

const unauthenticated = (res: Response) =>
  refuse(res, {
    code: 401,
    status: 'UNAUTHENTICATED',
    message: 'Request had invalid authentication credentials. Expected OAuth 2 access token.',
  });

const exhausted = (res: Response, details: Readonly<Record<string, Json>>[]) =>
  refuse(res, {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    message: "Quota exceeded for quota metric 'Requests' and limit 'Requests per minute'.",
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'RATE_LIMIT_EXCEEDED',
        metadata: { quota_limit_value: '300' },
      },
      ...details,
    ],
  });

const photoFetchFailed = 1000;

const refusals: Refusals = {
  '429': (res) => exhausted(res, [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '60s' }]),
  '429-bare': (res) => exhausted(res, []),
  '503': (res) =>
    refuse(res, {
      code: res.statusCode === 500 ? 500 : 503,
      status: 'UNAVAILABLE',
      message: 'The service is currently unavailable.',
    }),
  'expired-token': unauthenticated,
  'refused-token': unauthenticated,
  'missing-permission': (res) =>
    refuse(res, {
      code: 403,
      status: 'PERMISSION_DENIED',
      message: 'Request had insufficient authentication scopes.',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }],
    }),
  'content-refused': (res) => invalid(res, 'summary', 'The summary is not valid.'),
  'media-refused': (res) => invalid(res, 'media', 'Failed to fetch the photo from the provided URL.', photoFetchFailed),
};

const notTheirs = (res: Response) =>
  refuse(res, { code: 403, status: 'PERMISSION_DENIED', message: 'The caller does not have permission' });

const notFound = (res: Response) =>
  refuse(res, { code: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.' });

const Day = z.strictObject({ year: z.int(), month: z.int().min(1).max(12), day: z.int().min(1).max(31) });
const Time = z.strictObject({ hours: z.int().min(0).max(24), minutes: z.int().min(0).max(59).default(0) });

/** Unknown fields are refused. */
const NewLocalPost = z.strictObject({
  languageCode: z.string().min(2).optional(),
  summary: z.string().min(1).max(1500),
  topicType: z.enum(['STANDARD', 'EVENT', 'OFFER']),
  callToAction: z
    .strictObject({
      actionType: z.enum(['BOOK', 'ORDER', 'SHOP', 'LEARN_MORE', 'SIGN_UP', 'CALL']),
      url: z.url().optional(),
    })
    .optional(),
  event: z
    .strictObject({
      title: z.string().min(1),
      schedule: z.strictObject({
        startDate: Day,
        startTime: Time.optional(),
        endDate: Day,
        endTime: Time.optional(),
      }),
    })
    .optional(),
  offer: z
    .strictObject({
      couponCode: z.string().optional(),
      redeemOnlineUrl: z.url().optional(),
      termsConditions: z.string().optional(),
    })
    .optional(),
  media: z
    .array(z.strictObject({ mediaFormat: z.literal('PHOTO'), sourceUrl: z.url() }))
    .max(1)
    .optional(),
});
type NewLocalPost = z.output<typeof NewLocalPost>;

const problemOf = ({ topicType, callToAction, event, offer }: NewLocalPost): [string, string] | undefined => {
  if (callToAction && (callToAction.url === undefined) !== (callToAction.actionType === 'CALL')) {
    return ['call_to_action.url', 'A call has no url, every other action needs one.'];
  }
  if (topicType === 'STANDARD' && event) return ['event', 'Only events and offers have an event.'];
  if (topicType !== 'STANDARD' && !event) return ['event', 'Events and offers need an event.'];
  if (topicType !== 'OFFER' && offer) return ['offer', 'Only offers have an offer.'];
  if (event) {
    const { startDate, startTime, endDate, endTime } = event.schedule;
    if (minuteOf(endDate, endTime) <= minuteOf(startDate, startTime))
      return ['event.schedule', 'It ends before it starts.'];
  }
  return undefined;
};

const minuteOf = ({ year, month, day }: z.output<typeof Day>, time?: z.output<typeof Time>) =>
  Date.UTC(year, month - 1, day, time?.hours ?? 0, time?.minutes ?? 0);

const phoneNumber = /\+?\d[\d ()/-]{7,}\d/;

const sandbox: Sandbox = (kit) => {
  const router = Router();
  const signedIn = signedInWith(kit, refusals);
  router.use(googleSignIn(kit, [manage]));

  router.get(
    '/management/v1/accounts',
    signedIn(manage, async (_req, res, { person }) => {
      const account = { name: accountOf(person), accountName: person.name, type: 'PERSONAL', role: 'PRIMARY_OWNER' };
      res.send({ accounts: [account] });
    }),
  );

  /** Null when the mask is missing or names something unknown. */
  const masked = (location: Location, mask: unknown) => {
    const names = String(mask ?? '').split(',');
    if (names.some((name) => !['name', 'title', 'storeCode', 'storefrontAddress', 'metadata'].includes(name)))
      return null;
    return Object.fromEntries(Object.entries(location).filter(([name]) => names.includes(name)));
  };

  // A page may hold less than was asked for: here it is always one location.
  router.get(
    '/information/v1/accounts/:account/locations',
    signedIn(manage, async (req, res, { person }) => {
      if (`accounts/${req.params.account}` !== accountOf(person)) return notTheirs(res);
      if (Number(req.query.pageSize ?? 10) > 100) return invalid(res, 'page_size', 'At most 100.');
      const at = Number(req.query.pageToken ?? 0);
      const [location, next] = locationsOf(person).slice(at);
      if (location === undefined) return invalid(res, 'page_token', 'It is not valid.');
      const shown = masked(location, req.query.readMask);
      if (shown === null) return invalid(res, 'read_mask', 'It is missing or not valid.');
      res.send({ locations: [shown], ...(next && { nextPageToken: String(at + 1) }) });
    }),
  );

  router.get(
    '/information/v1/locations/:location',
    signedIn(manage, async (req, res, { person }) => {
      const location = locationsOf(person).find(({ name }) => name === `locations/${req.params.location}`);
      if (location === undefined) return notFound(res);
      const shown = masked(location, req.query.readMask);
      return shown === null ? invalid(res, 'read_mask', 'It is missing or not valid.') : res.send(shown);
    }),
  );

  const parentOf = ({ account, location }: Record<string, unknown>, person: SandboxPerson) =>
    locationsOf(person)
      .map(({ name, title }) => ({ name: `${accountOf(person)}/${name}`, title }))
      .find(({ name }) => name === `accounts/${account}/locations/${location}`);

  /** Undefined when Google can use it. */
  const mediaProblem = async (sourceUrl: string) => {
    const file = await kit.fetchMedia(sourceUrl);
    if (file === undefined) return 'Failed to fetch the photo from the provided URL.';
    if (!['image/jpeg', 'image/png'].includes(file.mimeType)) return 'The photo is neither JPG nor PNG.';
    return file.bytes.length < 10_240 || file.bytes.length > 5 * 1024 ** 2
      ? 'The photo must have between 10 KB and 5 MB.'
      : undefined;
  };

  router.post(
    '/posts/v4/accounts/:account/locations/:location/localPosts',
    signedIn(manage, async (req, res, { person }) => {
      const parent = parentOf(req.params, person);
      if (parent === undefined) return notFound(res);
      const parsed = NewLocalPost.safeParse(req.body);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        return invalid(res, issue?.path.join('.') ?? '', issue?.message ?? 'It is not valid.');
      }
      const { summary, media = [] } = parsed.data;
      const problem = problemOf(parsed.data);
      if (problem) return invalid(res, ...problem);
      for (const { sourceUrl } of media) {
        if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
        const wrong = await mediaProblem(sourceUrl);
        if (wrong !== undefined) return invalid(res, 'media', wrong, photoFetchFailed);
      }
      await kit.commit(req, res, {
        text: summary,
        person,
        refusals,
        make: async () => {
          const id = kit.newId();
          const isChecked = media.length > 0 || phoneNumber.test(summary);
          const post: SandboxPost = {
            id: `${parent.name}/localPosts/${id}`,
            author: parent.name,
            authorName: parent.title,
            text: summary,
            media: media.map(({ sourceUrl }) => sourceUrl),
            createdAt: kit.now().toISOString(),
            data: parsed.data as unknown as Json,
          };
          await kit.posts.add(post);
          await kit.records.put('state', post.id, isChecked ? 'PROCESSING' : 'LIVE');
          return shown(post);
        },
        answer: (post) => res.send(post),
      });
    }),
  );

  const shown = async (post: SandboxPost) => {
    const { id: name, data, createdAt } = post;
    const state = await kit.records.get<string>('state', name);
    const searchUrl = kit.link(`/local/place?${new URLSearchParams({ use: 'posts', lpsid: name })}`);
    return {
      name,
      ...(data as object),
      createTime: createdAt,
      updateTime: createdAt,
      state: state ?? 'LIVE',
      ...(state === 'LIVE' && { searchUrl }),
    };
  };

  router.get(
    '/posts/v4/accounts/:account/locations/:location/localPosts',
    signedIn(manage, async (req, res, { person }) => {
      const parent = parentOf(req.params, person);
      if (parent === undefined) return notFound(res);
      const count = Number(req.query.pageSize ?? 20);
      if (!(count >= 1 && count <= 100)) return invalid(res, 'page_size', 'Between 1 and 100.');
      const posts = await kit.posts.of(parent.name, count);
      res.send(posts.length > 0 ? { localPosts: await Promise.all(posts.map(shown)) } : {});
    }),
  );

  // Google checks a post after a while: here, once its state has been read twice.
  router.get(
    '/posts/v4/accounts/:account/locations/:location/localPosts/:id',
    signedIn(manage, async (req, res, { person }) => {
      const parent = parentOf(req.params, person);
      const post = parent && (await kit.posts.get(`${parent.name}/localPosts/${req.params.id}`));
      if (post === undefined) return notFound(res);
      res.send(await shown(post));
      if ((await kit.records.get('state', post.id)) === 'PROCESSING') {
        await kit.records.put('state', post.id, phoneNumber.test(post.text) ? 'REJECTED' : 'LIVE');
      }
    }),
  );

  return router;
};

export default sandbox;

interface Location {
  readonly name: string;
  readonly title: string;
  readonly storeCode: string;
}

const accountOf = ({ id }: SandboxPerson) => `accounts/${id}`;

const locationsOf = ({ id, handle, name }: SandboxPerson): Location[] =>
  ['Bakery', 'Café'].map((kind, index) => ({
    name: `locations/${id}${index + 1}`,
    title: `${name} ${kind}`,
    storeCode: `${handle}-${index + 1}`,
  }));
