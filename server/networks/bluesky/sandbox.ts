import { createHash } from 'node:crypto';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import type { Refusals, Sandbox, SandboxGrant, SandboxKit, SandboxPerson, SandboxPost } from '#server/networks/sandbox';
import { noise } from '#server/networks/shared/picture';
import {
  areFacetsInside,
  attachedOf,
  type Blob,
  blobsOf,
  type PostRecord,
  quotedOf,
  smallBlobsOf,
  Writes,
} from './sandbox-records.ts';

/** An AT Protocol server with Bluesky behind it, the video service, and the one that reads pages for link cards. */

const hourMs = 3_600_000;
const accessLifeMs = 2 * hourMs;
const refreshLifeMs = 90 * 24 * hourMs;
/** How long a refresh token still works after it was used. */
const graceMs = 2 * hourMs;
const maxBlobBytes = 50_000_000;
const maxImageBytes = 2_000_000;
const maxVideoBytes = 300_000_000;

const refuse = (res: Response, status: number, error: string, message: string) => {
  res.status(status).send({ error, message });
};
const badRequest = (res: Response, message: string) => refuse(res, 400, 'InvalidRequest', message);

const refusalsOf = ({ now }: SandboxKit): Refusals => ({
  '429': (res) => {
    res.set({
      'ratelimit-limit': '5000',
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(Math.ceil(now().getTime() / 1000) + 60),
      'ratelimit-policy': '5000;w=3600',
    });
    refuse(res, 429, 'RateLimitExceeded', 'Rate Limit Exceeded');
  },
  '429-bare': (res) => refuse(res, 429, 'RateLimitExceeded', 'Rate Limit Exceeded'),
  '503': (res) =>
    res.statusCode === 500
      ? refuse(res, 500, 'InternalServerError', 'Internal Server Error')
      : refuse(res, 503, 'NotEnoughResources', 'Service Unavailable'),
  'expired-token': (res) => refuse(res, 400, 'ExpiredToken', 'Token has expired'),
  'refused-token': (res) => refuse(res, 400, 'InvalidToken', 'Token could not be verified'),
  'missing-permission': (res) => refuse(res, 403, 'InsufficientScope', 'Missing required scope'),
  'content-refused': (res) =>
    badRequest(
      res,
      'Invalid app.bsky.feed.post record: grapheme too big (maximum 300, got 301) at $.writes[0].record.text',
    ),
  'media-refused': (res) =>
    refuse(res, 400, 'BlobTooLarge', 'This file is too large. It is 2.05MB but the maximum size is 2MB.'),
});

const tooLarge = (res: Response) => refuse(res, 413, 'PayloadTooLarge', 'request entity too large');

type Kept = { owner: string; mimeType: string; size: number };
type Job = Kept & { cid: string; asked: number };
type Keys = { person: string };

const sandbox: Sandbox = (kit) => {
  const router = Router();
  const refusals = refusalsOf(kit);
  const xrpc = Router();
  const video = Router();
  router.use('/pds/xrpc', xrpc);
  router.use('/video/xrpc', video);

  const seconds = () => Math.floor(kit.now().getTime() / 1000);

  /** The secret that says whose it is stands where a real token has its signature. */
  const token = async (use: string, person: SandboxPerson, lifeMs: number, claims: object = {}) => {
    const secret = await kit.grants.issue(use, { person, scopes: [], lifeMs });
    const iat = seconds();
    return [
      encoded({ alg: 'HS256', typ: use === 'access' ? 'at+jwt' : `${use}+jwt` }),
      encoded({ sub: didOf(person), iat, exp: iat + lifeMs / 1000, ...claims }),
      secret,
    ].join('.');
  };
  const secretOf = (req: Request) => /^Bearer [^.]+\.[^.]+\.([^.]+)$/.exec(req.headers.authorization ?? '')?.[1] ?? '';

  const didDoc = (req: Request, person: SandboxPerson) => ({
    '@context': ['https://www.w3.org/ns/did/v1'],
    id: didOf(person),
    alsoKnownAs: [`at://${person.handle}`],
    service: [
      {
        id: '#atproto_pds',
        type: 'AtprotoPersonalDataServer',
        serviceEndpoint: kit.here(req).replace(/\/xrpc$/, ''),
      },
    ],
  });
  const session = async (req: Request, res: Response, person: SandboxPerson) => {
    res.send({
      did: didOf(person),
      didDoc: didDoc(req, person),
      handle: person.handle,
      accessJwt: await token('access', person, accessLifeMs, { scope: 'com.atproto.appPass' }),
      refreshJwt: await token('refresh', person, refreshLifeMs, { scope: 'com.atproto.refresh' }),
      active: true,
    });
  };

  const personBy = async (identifier: string) => {
    const known = await kit.records.get<Keys>('identifier', identifier.toLowerCase());
    return known && kit.people.get(known.person);
  };

  xrpc.post('/com.atproto.server.createSession', async (req, res) => {
    const parsed = z.object({ identifier: z.string(), password: z.string() }).safeParse(req.body);
    if (!parsed.success) return badRequest(res, 'Input must have the property "identifier"');
    const { identifier, password } = parsed.data;
    const refused = () => refuse(res, 401, 'AuthenticationRequired', 'Invalid identifier or password');
    if (password === '' || password === 'wrong') return refused();
    if (identifier.startsWith('did:')) {
      const person = await personBy(identifier);
      return person ? session(req, res, person) : refused();
    }
    if (!isHandle(identifier)) return refused();
    const person = await kit.people.signIn(identifier.toLowerCase());
    await kit.records.put('identifier', person.handle, { person: person.id });
    await kit.records.put('identifier', didOf(person), { person: person.id });
    await session(req, res, person);
  });

  xrpc.post('/com.atproto.server.refreshSession', async (req, res) => {
    const secret = secretOf(req);
    const grant = await kit.grants.find('refresh', secret);
    if (grant === undefined) return refusals['refused-token'](res);
    const usedAt = await kit.records.get<string>('refreshed', secret);
    const isOver = usedAt !== undefined && Date.parse(usedAt) + graceMs < kit.now().getTime();
    if (grant.expired || isOver) return refuse(res, 400, 'ExpiredToken', 'Token has been revoked');
    await kit.records.add('refreshed', secret, kit.now().toISOString());
    await session(req, res, grant.person);
  });

  xrpc.post('/com.atproto.server.deleteSession', async (req, res) => {
    const grant = await kit.grants.take('refresh', secretOf(req));
    if (grant === undefined) return refusals['refused-token'](res);
    res.send();
  });

  const signedIn =
    (work: (req: Request, res: Response, grant: SandboxGrant) => Promise<unknown>): RequestHandler =>
    async (req, res) => {
      if (!req.headers.authorization) return refuse(res, 401, 'AuthMissing', 'Authentication Required');
      const grant = await kit.grants.find('access', secretOf(req));
      if (grant === undefined) return refusals['refused-token'](res);
      if (grant.expired) return refusals['expired-token'](res);
      await work(req, res, grant);
    };

  xrpc.get(
    '/app.bsky.actor.getProfile',
    signedIn(async (req, res) => {
      const person = await personBy(String(req.query.actor ?? ''));
      if (!person) return badRequest(res, 'Profile not found');
      res.send({ did: didOf(person), handle: person.handle, displayName: person.name });
    }),
  );

  xrpc.get('/com.atproto.identity.resolveHandle', async (req, res) => {
    const handle = String(req.query.handle ?? '');
    const person = isHandle(handle) ? await personBy(handle) : undefined;
    if (!person) return badRequest(res, 'Unable to resolve handle');
    res.send({ did: didOf(person) });
  });

  xrpc.get(
    '/com.atproto.server.getServiceAuth',
    signedIn(async (req, res, { person }) => {
      const { aud, lxm, exp } = req.query;
      const life = Number(exp) - seconds();
      if (aud !== `did:web:${encodeURIComponent(req.get('host') ?? '')}`) return badRequest(res, 'aud must be a DID');
      if (!(life > 0 && life <= 3_600)) return refuse(res, 400, 'BadExpiration', 'The expiration is not allowed');
      res.send({ token: await token('service', person, life * 1000, { aud, lxm }) });
    }),
  );

  const keepBlob = async (person: SandboxPerson, cid: string, mimeType: string, size: number): Promise<Blob> => {
    const kept: Kept = { owner: person.id, mimeType, size };
    await kit.records.put('blob', `${person.id} ${cid}`, kept);
    return { $type: 'blob', ref: { $link: cid }, mimeType, size };
  };

  xrpc.post(
    '/com.atproto.repo.uploadBlob',
    signedIn(async (req, res, { person }) => {
      const bytes = await kit.readBytes(req);
      const atUpload = { ...refusals, 'media-refused': tooLarge };
      if (await kit.isFaulty('upload', req, res, { person, refusals: atUpload })) return;
      const mimeType = req.headers['content-type'];
      if (!mimeType) return badRequest(res, 'Request encoding (Content-Type) required but not provided');
      if (bytes.length > maxBlobBytes) return tooLarge(res);
      res.send({ blob: await keepBlob(person, cidOf(0x55, bytes), mimeType, bytes.length) });
    }),
  );

  const jobStatus = (jobId: string, person: SandboxPerson, job: Job, done: boolean) => ({
    jobId,
    did: didOf(person),
    state: done ? 'JOB_STATE_COMPLETED' : 'JOB_STATE_ENCODING',
    ...(done && {
      blob: { $type: 'blob', ref: { $link: job.cid }, mimeType: job.mimeType, size: job.size },
    }),
  });

  video.post('/app.bsky.video.uploadVideo', async (req, res) => {
    const bytes = await kit.readBytes(req);
    const grant = await kit.grants.find('service', secretOf(req));
    if (grant === undefined || grant.expired) return refuse(res, 401, 'AuthMissing', 'The service token is not valid');
    const { person } = grant;
    if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
    if (req.query.did !== didOf(person) || !req.query.name) return badRequest(res, 'did and name are needed');
    if (req.headers['content-type'] !== 'video/mp4')
      return refuse(res, 400, 'UnsupportedContentType', 'video/mp4 is needed');
    if (bytes.length > maxVideoBytes) return refuse(res, 400, 'VideoTooLarge', 'The video is too large');
    const cid = cidOf(0x55, bytes);
    const jobId = `${person.id}${cid.slice(-12)}`;
    // What the service makes of it is smaller.
    const job: Job = { owner: person.id, mimeType: 'video/mp4', size: Math.ceil(bytes.length / 10), cid, asked: 0 };
    const isNew = await kit.records.add('job', jobId, job);
    if (isNew) return res.send(jobStatus(jobId, person, job, false));
    res.status(409).send({
      ...jobStatus(jobId, person, job, false),
      state: 'JOB_STATE_COMPLETED',
      error: 'already_exists',
      message: 'Video already processed',
    });
  });

  video.get('/app.bsky.video.getJobStatus', async (req, res) => {
    const jobId = String(req.query.jobId ?? '');
    const job = await kit.records.get<Job>('job', jobId);
    const person = job && (await kit.people.get(job.owner));
    if (!job || !person) return badRequest(res, 'missing jobId');
    await kit.records.put('job', jobId, { ...job, asked: job.asked + 1 });
    const done = job.asked > 0;
    if (done) await keepBlob(person, job.cid, job.mimeType, job.size);
    res.send({ jobStatus: jobStatus(jobId, person, job, done) });
  });

  router.get('/cards/v1/extract', (req, res) => {
    const url = String(req.query.url ?? '');
    const page = { likely_type: 'html', url, image: '' };
    if (!URL.canParse(url)) return res.status(400).send({ ...page, error: 'Bad url', title: '', description: '' });
    const { host } = new URL(url);
    if (host.endsWith('.invalid')) {
      return res.send({ ...page, error: 'Unable to generate link preview', title: '', description: '' });
    }
    const image = url.includes('picture') ? `${kit.here(req)}/cards/v1/image?url=${encodeURIComponent(url)}` : '';
    const about = { title: `The page of ${host}`, description: 'What the page says of itself.', image };
    res.send({ ...page, error: '', ...about });
  });

  /** Larger than a card takes. */
  router.get('/cards/v1/image', async (_req, res) => {
    res.type('png').send(await noise(1_000));
  });

  /** Undefined when the post can be kept. */
  const problemOf = async (record: PostRecord, person: SandboxPerson) => {
    if (!areFacetsInside(record)) return { error: 'InvalidRequest', message: 'A facet is not inside the text' };
    for (const { ref, mimeType, size } of blobsOf(record)) {
      const kept = await kit.records.get<Kept>('blob', `${person.id} ${ref.$link}`);
      const isVideo = attachedOf(record)?.$type === 'app.bsky.embed.video';
      if (!kept) return { error: 'BlobNotFound', message: `Could not find blob: ${ref.$link}` };
      if (kept.mimeType !== mimeType || kept.size !== size || !mimeType.startsWith(isVideo ? 'video/mp4' : 'image/'))
        return {
          error: 'InvalidMimeType',
          message: `Referenced Mimetype does not match stored blob. Got: ${mimeType}`,
        };
      if (!isVideo && size > maxImageBytes)
        return { error: 'InvalidRequest', message: `blob too big (maximum ${maxImageBytes}, got ${size})` };
    }
    for (const { blob, type, maxBytes } of smallBlobsOf(record)) {
      const kept = await kit.records.get<Kept>('blob', `${person.id} ${blob.ref.$link}`);
      if (!kept) return { error: 'BlobNotFound', message: `Could not find blob: ${blob.ref.$link}` };
      if (kept.size !== blob.size || kept.mimeType !== blob.mimeType || !blob.mimeType.startsWith(type))
        return { error: 'InvalidMimeType', message: `Wrong type of file: ${blob.mimeType}` };
      if (blob.size > maxBytes)
        return { error: 'InvalidRequest', message: `blob too big (maximum ${maxBytes}, got ${blob.size})` };
    }
    const quoted = quotedOf(record);
    for (const { uri, cid } of [...Object.values(record.reply ?? {}), ...(quoted ? [quoted] : [])]) {
      const post = await kit.posts.get(uri);
      if (post && cidIn(post) !== cid) return { error: 'InvalidRequest', message: 'The cid of a post is not right' };
    }
    return undefined;
  };

  xrpc.post(
    '/com.atproto.repo.applyWrites',
    signedIn(async (req, res, { person }) => {
      const parsed = Writes.safeParse(req.body);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        return badRequest(res, `Invalid record: ${issue?.message} at $.${issue?.path.join('.')}`);
      }
      const { repo, writes } = parsed.data;
      if (repo !== didOf(person)) return refuse(res, 401, 'AuthenticationRequired', 'Authentication Required');
      const [{ rkey, value: record }, ...gates] = writes;
      const uri = `at://${repo}/app.bsky.feed.post/${rkey}`;
      if (gates.some((gate) => gate.rkey !== rkey || gate.value.post !== uri))
        return badRequest(res, 'A gate has the key of its post');
      const problem = await problemOf(record, person);
      if (problem) return refuse(res, 400, problem.error, problem.message);
      if (await kit.posts.get(uri)) return refuse(res, 500, 'InternalServerError', 'Internal Server Error');
      const cid = cidOf(0x71, Buffer.from(JSON.stringify(record)));
      await kit.commit(req, res, {
        text: record.text,
        person,
        refusals,
        make: () =>
          kit.posts.add({
            id: uri,
            author: person.id,
            authorName: `@${person.handle}`,
            text: record.text,
            media: blobsOf(record).map(({ ref }) => ref.$link),
            ...(record.reply && { replyTo: record.reply.parent.uri }),
            createdAt: kit.now().toISOString(),
            data: JSON.parse(JSON.stringify({ cid, record, gates: gates.map(({ value }) => value) })),
          }),
        answer: () =>
          res.send({
            commit: { cid: cidOf(0x71, Buffer.from(uri)), rev: rkey },
            results: writes.map(({ collection, value }) => ({
              $type: 'com.atproto.repo.applyWrites#createResult',
              uri: `at://${repo}/${collection}/${rkey}`,
              cid: value === record ? cid : cidOf(0x71, Buffer.from(JSON.stringify(value))),
              validationStatus: 'valid',
            })),
          }),
      });
    }),
  );

  xrpc.get('/com.atproto.repo.getRecord', async (req, res) => {
    const { repo, collection, rkey } = req.query;
    const uri = `at://${repo}/${collection}/${rkey}`;
    const post = await kit.posts.get(uri);
    if (!post) return refuse(res, 400, 'RecordNotFound', `Could not locate record: ${uri}`);
    res.send({ uri, cid: cidIn(post), value: dataOf(post).record });
  });

  xrpc.get(
    '/app.bsky.feed.getPosts',
    signedIn(async (req, res, { person }) => {
      if (await kit.isFaulty('read', req, res, { person, refusals })) return;
      const uris = [req.query.uris ?? []].flat().map(String);
      if (uris.length === 0 || uris.length > 25) return badRequest(res, 'uris must have 1 to 25 elements');
      const found = await Promise.all(uris.map((uri) => kit.posts.get(uri)));
      res.send({ posts: found.filter((post) => post !== undefined).map((post) => viewOf(kit, post, person)) });
    }),
  );

  return router;
};

export default sandbox;

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

const isHandle = (text: string) =>
  /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(text);

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

const base32 = (bytes: Buffer) => {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(held >> (bits - 5)) & 31];
  }
  return bits > 0 ? text + alphabet[(held << (5 - bits)) & 31] : text;
};

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();

const cidOf = (codec: 0x55 | 0x71, bytes: Buffer) =>
  `b${base32(Buffer.concat([Buffer.from([1, codec, 0x12, 0x20]), sha256(bytes)]))}`;

const didOf = ({ id }: SandboxPerson) => `did:plc:${base32(sha256(id)).slice(0, 24)}`;

const dataOf = ({ data }: SandboxPost) =>
  data as { cid: string; record: Record<string, unknown>; gates: { $type: string }[] };
const cidIn = (post: SandboxPost) => dataOf(post).cid;

const viewOf = (kit: SandboxKit, post: SandboxPost, { id }: SandboxPerson) => {
  const isClosed = dataOf(post).gates.some(({ $type }) => $type === 'app.bsky.feed.postgate');
  const numbers = kit.numbers(post);
  return {
    uri: post.id,
    cid: cidIn(post),
    record: dataOf(post).record,
    // An author may always quote a post of their own.
    viewer: { embeddingDisabled: isClosed && post.author !== id },
    likeCount: numbers.likes,
    replyCount: numbers.comments,
    repostCount: numbers.shares,
    quoteCount: numbers.quotes,
    bookmarkCount: numbers.saves,
    indexedAt: post.createdAt,
  };
};
